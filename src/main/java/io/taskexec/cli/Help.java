package io.taskexec.cli;

import io.taskexec.cli.client.ExitCode;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** Explains a command, as its option {@code --help} does. */
@Command(name = "help", description = "Explains a command, such as: help jobs create.", mixinStandardHelpOptions = true)
public final class Help implements Callable<Integer> {
    @Parameters(arity = "0..*", paramLabel = "COMMAND", description = "Which command; the whole program without one.")
    private List<String> words = List.of();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    private static String unknown(CommandLine command, String word) {
        var similar = new UnmatchedArgumentException(command, List.of(word)).getSuggestions();
        return "There is no command '" + word + "'"
                + (similar.isEmpty() ? "." : "; did you mean " + String.join(" or ", similar) + "?");
    }

    @Override
    public Integer call() {
        var command = spec.root().commandLine();
        for (var word : words) {
            var next = command.getSubcommands().get(word);
            if (next == null) {
                throw new ParameterException(command, unknown(command, word));
            }
            command = next;
        }
        command.usage(spec.commandLine().getOut());
        return ExitCode.DONE;
    }
}
