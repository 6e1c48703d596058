package io.taskexec.cli;

import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.text.CliCommand;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.UnmatchedArgumentException;

/** Prints the help of a command, as its option {@code --help} does. */
@Command(name = "help", description = "Print the help of a command, such as: help jobs create.")
public final class Help extends CliCommand {
    @Parameters(
            arity = "0..*",
            paramLabel = "COMMAND",
            description = "Command; without one, the help of the program is printed.")
    private List<String> words = List.of();

    private static String unknown(CommandLine command, String word) {
        var similar = new UnmatchedArgumentException(command, List.of(word)).getSuggestions();
        return "Unknown command '" + word + "'"
                + (similar.isEmpty() ? "." : "; did you mean " + String.join(" or ", similar) + "?");
    }

    @Override
    public Integer call() {
        var command = spec().root().commandLine();
        for (var word : words) {
            var next = command.getSubcommands().get(word);
            if (next == null) {
                throw new ParameterException(command, unknown(command, word));
            }
            command = next;
        }
        command.usage(spec().commandLine().getOut());
        return ExitCode.DONE;
    }
}
