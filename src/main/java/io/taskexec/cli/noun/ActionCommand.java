package io.taskexec.cli.noun;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.cli.OutputOptions;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.RefusedException;
import io.taskexec.cli.client.ServerClient;
import io.taskexec.cli.client.ServerOptions;
import io.taskexec.cli.client.ServerPath;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Something that can be done to a resource, which the API shows afterwards. */
@Command(mixinStandardHelpOptions = true)
final class ActionCommand implements Callable<Integer> {
    @Parameters(paramLabel = "NAME", description = "Its name or id, as 'list' shows it.")
    private String name = "";

    @Mixin
    private OutputOptions output = new OutputOptions();

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    private final Noun noun;
    private final String route;
    private final Input input;
    private final List<Filter> options;
    private final @Nullable Answer answer;
    private final WaitOptions waiting = new WaitOptions();

    /** How the options are sent. */
    enum Input {
        QUERY,
        BODY
    }

    private ActionCommand(Noun noun, String route, Input input, List<Filter> options, @Nullable Answer answer) {
        this.noun = noun;
        this.route = route;
        this.input = input;
        this.options = options;
        this.answer = answer;
    }

    /**
     * An action whose answer is shown as it is.
     *
     * @param route the last part of the path
     */
    static CommandLine of(Noun noun, String route, Input input, List<Filter> options, String description) {
        return line(new ActionCommand(noun, route, input, options, null), options, description);
    }

    /** An action whose answer is told in a line. */
    static CommandLine of(
            Noun noun, String route, Input input, List<Filter> options, Answer answer, String description) {
        var command = new ActionCommand(noun, route, input, options, answer);
        var line = line(command, options, description);
        if (answer.end() != Answer.End.NONE) {
            var _ = line.addMixin("waiting", command.waiting);
        }
        return line;
    }

    private static CommandLine line(ActionCommand command, List<Filter> options, String description) {
        var line = new CommandLine(command);
        var _ = line.getCommandSpec().usageMessage().description(description);
        options.forEach(option -> option.addTo(line.getCommandSpec()));
        return line;
    }

    @Override
    public Integer call() {
        var path = ServerPath.of(noun.one(name) + "/" + route);
        var body = JsonNodeFactory.instance.objectNode();
        for (var option : options) {
            var value = option.value(spec);
            if (value != null) {
                body.put(option.parameter(), value);
                path = input == Input.QUERY ? path.with(option.parameter(), value) : path;
            }
        }
        var target = path.toString();
        var bound = waiting.bound(spec);
        return server.call(spec, client -> {
            var shown = input == Input.BODY ? client.post(target, body) : client.post(target);
            if (bound == null || output.isTable()) {
                print(shown);
            }
            return bound == null ? ExitCode.DONE : await(client, shown, new Waiting(client, spec, bound));
        });
    }

    private void print(JsonNode shown) {
        var told = output.isTable() ? answer : null;
        var out = spec.commandLine().getOut();
        out.print(told != null ? told.sentence().of(shown, Instant.now()) + "\n" : text(shown));
        out.flush();
    }

    private String text(JsonNode shown) {
        return Details.text(
                shown, answer == null ? noun.nameOf(name) : answer.about().nameOf(shown), output);
    }

    /** A program reads what has become of it at the end, people read a sentence more. */
    private int await(ServerClient client, JsonNode shown, Waiting end)
            throws RefusedException, IOException, InterruptedException {
        var last = shown;
        try {
            if (answer != null && answer.end() == Answer.End.JOB) {
                var id = shown.path(Nouns.JOBS.id()).asText();
                var code = end.forJob(id);
                last = client.get(Nouns.JOBS.one(id).toString());
                return code;
            }
            var ended = end.forExecution(shown.path(Nouns.EXECUTIONS.id()).asText());
            if (ended != null && output.isTable()) {
                end.tell(ended);
            }
            last = ended == null ? shown : ended;
            return Waiting.code(ended);
        } finally {
            if (!output.isTable()) {
                print(last);
            }
        }
    }
}
