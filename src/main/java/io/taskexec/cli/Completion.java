package io.taskexec.cli;

import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.text.CliCommand;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Prints a script that makes a shell complete commands and options. */
@Command(name = "completion", description = "Print a completion script: source <(taskexec completion bash).")
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
        var program = spec().root();
        print(
                switch (shell) {
                    // The script for bash begins with what makes zsh understand it.
                    case BASH, ZSH -> AutoComplete.bash(program.name(), program.commandLine());
                });
        return ExitCode.DONE;
    }
}
