package io.taskexec.cli;

import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.text.CliCommand;
import picocli.CommandLine.Command;

/** Prints the version, as the option {@code --version} does. */
@Command(name = "version", description = "Print the version.")
public final class VersionCommand extends CliCommand {
    @Override
    public Integer call() {
        spec().root().commandLine().printVersionHelp(spec().commandLine().getOut());
        return ExitCode.DONE;
    }
}
