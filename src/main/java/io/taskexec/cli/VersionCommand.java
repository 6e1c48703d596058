package io.taskexec.cli;

import io.taskexec.cli.client.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Prints the version, as the option {@code --version} of the program does. */
@Command(name = "version", description = "Prints the version.", mixinStandardHelpOptions = true)
public final class VersionCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        spec.root().commandLine().printVersionHelp(spec.commandLine().getOut());
        return ExitCode.DONE;
    }
}
