package io.taskexec.cli;

import io.taskexec.cli.client.ExitCode;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Prints a script that makes a shell complete commands and options. */
@Command(name = "completion", description = "Prints a completion script: source <(taskexec completion bash).")
public final class Completion extends CliCommand {
    @Parameters(paramLabel = "SHELL", description = "${COMPLETION-CANDIDATES}.")
    private Shell shell = Shell.BASH;

    /** Supported shells. */
    enum Shell {
        BASH,
        ZSH
    }

    @Override
    public Integer call() {
        // The same script serves both shells: it begins with what makes zsh understand it.
        print(AutoComplete.bash(spec().root().name(), spec().root().commandLine()));
        return ExitCode.DONE;
    }
}
