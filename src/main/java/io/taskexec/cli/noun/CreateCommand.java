package io.taskexec.cli.noun;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What a file describes, which must be new. */
@Command(mixinStandardHelpOptions = true)
final class CreateCommand implements Callable<Integer> {
    @Mixin
    private Creation creation = new Creation();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    private final Noun noun;

    private CreateCommand(Noun noun) {
        this.noun = noun;
    }

    static CommandLine of(Noun noun) {
        var line = new CommandLine(new CreateCommand(noun));
        var _ = line.getCommandSpec().usageMessage().description("Creates " + noun.one() + "s that a file describes.");
        return line;
    }

    @Override
    public Integer call() {
        if (!creation.hasFile()) {
            throw new ParameterException(spec.commandLine(), "Name a file with -f, or -f - for the standard input.");
        }
        return creation.fromFile(noun, spec);
    }
}
