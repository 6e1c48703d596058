package io.taskexec.cli.text;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Base class of commands: prints results and messages, and rejects arguments. */
@Command(mixinStandardHelpOptions = true)
public abstract class CliCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** Returns the model of this command. */
    protected final CommandSpec spec() {
        return spec;
    }

    /** Prints a result as it is. */
    protected final void print(String text) {
        spec.commandLine().getOut().print(text);
        spec.commandLine().getOut().flush();
    }

    /** Prints a line of the result. */
    protected final void println(String line) {
        spec.commandLine().getOut().println(line);
        spec.commandLine().getOut().flush();
    }

    /** Prints a message to the standard error. */
    protected final void warn(String sentence) {
        spec.commandLine().getErr().println(sentence);
        spec.commandLine().getErr().flush();
    }

    /** Returns the error for arguments that are not valid. */
    protected final ParameterException invalid(String sentence) {
        return new ParameterException(spec.commandLine(), sentence);
    }

    /** Returns the command line of a command with a description that no annotation can have. */
    protected static CommandLine describe(CliCommand command, String description) {
        var line = new CommandLine(command);
        var _ = line.getCommandSpec().usageMessage().description(description);
        return line;
    }
}
