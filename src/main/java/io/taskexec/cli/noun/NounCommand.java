package io.taskexec.cli.noun;

import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A noun, which says nothing without a verb. */
@Command(mixinStandardHelpOptions = true)
final class NounCommand implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    private NounCommand() {}

    static CommandLine of(String description) {
        var line = new CommandLine(new NounCommand());
        var _ = line.getCommandSpec().usageMessage().description(description);
        return line;
    }

    @Override
    public void run() {
        var verbs = List.copyOf(spec.subcommands().keySet());
        throw new ParameterException(
                spec.commandLine(),
                "Say what to do: " + String.join(", ", verbs.subList(0, verbs.size() - 1)) + " or " + verbs.getLast()
                        + ".");
    }
}
