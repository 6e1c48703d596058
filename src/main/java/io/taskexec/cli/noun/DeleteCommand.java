package io.taskexec.cli.noun;

import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.ServerOptions;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Takes resources away, one after the other, up to the first that the server does not let go. */
@Command(mixinStandardHelpOptions = true)
final class DeleteCommand implements Callable<Integer> {
    @Parameters(paramLabel = "NAME", arity = "1..*", description = "Which ones.")
    private List<String> names = List.of();

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    private final Noun noun;

    private DeleteCommand(Noun noun) {
        this.noun = noun;
    }

    static CommandLine of(Noun noun) {
        var line = new CommandLine(new DeleteCommand(noun));
        var _ = line.getCommandSpec().usageMessage().description("Deletes " + noun.one() + "s that nothing uses.");
        return line;
    }

    @Override
    public Integer call() {
        return server.call(spec, client -> {
            for (var name : names) {
                client.delete(noun.one(name).toString());
                spec.commandLine().getOut().println(noun.one() + " " + noun.bare(name) + " is deleted.");
                spec.commandLine().getOut().flush();
            }
            return ExitCode.DONE;
        });
    }
}
