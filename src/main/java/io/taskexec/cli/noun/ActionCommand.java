package io.taskexec.cli.noun;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.cli.OutputOptions;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.ResourceName;
import io.taskexec.cli.client.ServerClient;
import io.taskexec.cli.client.ServerCommand;
import io.taskexec.cli.client.ServerPath;
import io.taskexec.cli.option.QueryOption;
import io.taskexec.cli.option.WaitOptions;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;

/** Runs an action on a resource and prints the answer. */
final class ActionCommand extends ServerCommand {
    @Mixin
    private OutputOptions output = new OutputOptions();

    private final Noun noun;
    private final String route;
    private final Input input;
    private final List<QueryOption> options;
    private final @Nullable ActionSummary summary;
    private final WaitOptions waiting = new WaitOptions();
    private @Nullable ResourceName name;

    /** The part of the request that has the options. */
    enum Input {
        QUERY,
        BODY
    }

    private ActionCommand(
            Noun noun, String route, Input input, List<QueryOption> options, @Nullable ActionSummary summary) {
        this.noun = noun;
        this.route = route;
        this.input = input;
        this.options = options;
        this.summary = summary;
    }

    /**
     * Returns the command.
     *
     * @param route the last part of the path
     * @param summary null to print the answer as it is
     */
    static CommandLine of(
            Noun noun,
            String route,
            Input input,
            List<QueryOption> options,
            @Nullable ActionSummary summary,
            String description) {
        var command = new ActionCommand(noun, route, input, options, summary);
        var line = command.line(description);
        command.name = ResourceName.in(line);
        return line;
    }

    /** Cancels a job, also by its key, which is free for another job then. */
    static CommandLine cancelJob(QueryOption force, String description) {
        var command = new ActionCommand(Nouns.JOBS, "cancel", Input.QUERY, List.of(force), ActionSummary.CANCELLED_JOB);
        var line = command.line(description);
        command.name = ResourceName.ofJob(line);
        return line;
    }

    private CommandLine line(String description) {
        var line = describe(this, description);
        options.forEach(option -> option.addTo(line.getCommandSpec()));
        if (summary != null && summary.awaited() != ActionSummary.Awaited.NOTHING) {
            var _ = line.addMixin("waiting", waiting);
        }
        return line;
    }

    @Override
    public Integer call() {
        var named = requireNonNull(name);
        var byKey = named.byKey();
        var path = byKey == null ? ServerPath.of(noun.one(named.text()) + "/" + route) : byKey;
        var body = JsonNodeFactory.instance.objectNode();
        for (var option : options) {
            var value = option.value(spec());
            if (value != null) {
                body.put(option.parameter(), value);
                path = input == Input.QUERY ? path.with(option.parameter(), value) : path;
            }
        }
        var target = path.toString();
        var bound = waiting.bound(spec());
        return callServer(client -> {
            var shown = byKey != null
                    ? client.delete(target)
                    : input == Input.BODY ? client.post(target, body) : client.post(target);
            if (bound == null || output.isTable()) {
                print(shown);
            }
            return bound == null ? ExitCode.DONE : await(client, shown, new ExecutionWait(client, spec(), bound));
        });
    }

    private void print(JsonNode shown) {
        if (summary != null && output.isTable()) {
            println(summary.sentence().of(shown, Instant.now()));
        } else {
            print(Details.text(
                    shown,
                    summary == null
                            ? noun.nameOf(requireNonNull(name).text())
                            : summary.about().nameOf(shown),
                    output));
        }
    }

    /** Prints the final state for programs, and one more sentence for people. */
    private int await(ServerClient client, JsonNode shown, ExecutionWait wait)
            throws IOException, InterruptedException {
        var last = shown;
        try {
            if (summary != null && summary.awaited() == ActionSummary.Awaited.JOB) {
                var id = shown.path(Nouns.JOBS.id()).asText();
                var code = wait.forJob(id);
                last = client.get(Nouns.JOBS.one(id).toString());
                return code;
            }
            var ended = wait.forExecution(shown.path(Nouns.EXECUTIONS.id()).asText());
            if (ended != null && output.isTable()) {
                wait.print(ended);
            }
            last = ended == null ? shown : ended;
            return ExecutionWait.code(ended);
        } finally {
            if (!output.isTable()) {
                print(last);
            }
        }
    }
}
