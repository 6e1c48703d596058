package io.taskexec.cli.noun;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.cli.ExitCode;
import io.taskexec.cli.OutputOptions;
import io.taskexec.cli.ServerOptions;
import io.taskexec.cli.ServerPath;
import java.util.List;
import java.util.concurrent.Callable;
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

    /** How the options are sent. */
    enum Input {
        QUERY,
        BODY
    }

    private ActionCommand(Noun noun, String route, Input input, List<Filter> options) {
        this.noun = noun;
        this.route = route;
        this.input = input;
        this.options = options;
    }

    /** @param route the last part of the path */
    static CommandLine of(Noun noun, String route, Input input, List<Filter> options, String description) {
        var line = new CommandLine(new ActionCommand(noun, route, input, options));
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
        return server.call(spec, client -> {
            var shown = input == Input.BODY ? client.post(target, body) : client.post(target);
            var out = spec.commandLine().getOut();
            out.print(Details.text(shown, output));
            out.flush();
            return ExitCode.DONE;
        });
    }
}
