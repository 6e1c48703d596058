package io.taskexec.cli.noun;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.cli.OutputOptions;
import io.taskexec.cli.client.ExitCode;
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
import picocli.CommandLine.Parameters;

/** Runs an action on a resource and prints the answer. */
final class ActionCommand extends ServerCommand {
    @Parameters(paramLabel = "NAME", description = "Name or id, as 'list' shows it.")
    private String name = "";

    @Mixin
    private OutputOptions output = new OutputOptions();

    private final Noun noun;
    private final String route;
    private final Input input;
    private final List<QueryOption> options;
    private final @Nullable ActionSummary summary;
    private final WaitOptions waiting = new WaitOptions();

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
        var line = describe(command, description);
        options.forEach(option -> option.addTo(line.getCommandSpec()));
        if (summary != null && summary.awaited() != ActionSummary.Awaited.NOTHING) {
            var _ = line.addMixin("waiting", command.waiting);
        }
        return line;
    }

    @Override
    public Integer call() {
        var path = ServerPath.of(noun.one(name) + "/" + route);
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
            var shown = input == Input.BODY ? client.post(target, body) : client.post(target);
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
                    shown, summary == null ? noun.nameOf(name) : summary.about().nameOf(shown), output));
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
