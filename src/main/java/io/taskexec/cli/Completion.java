package io.taskexec.cli;

import io.taskexec.cli.client.ExitCode;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Scripts by which shells complete words. */
@Command(
        name = "completion",
        description = "Prints what makes a shell complete commands and options: source <(taskexec completion bash).",
        mixinStandardHelpOptions = true)
public final class Completion implements Callable<Integer> {
    @Parameters(paramLabel = "SHELL", description = "${COMPLETION-CANDIDATES}.")
    private Shell shell = Shell.BASH;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** The shells that are known. */
    enum Shell {
        BASH,
        ZSH,
        FISH
    }

    @Override
    public Integer call() {
        var program = spec.root();
        var script = switch (shell) {
            // The script for bash begins with what makes zsh understand it.
            case BASH, ZSH -> AutoComplete.bash(program.name(), program.commandLine());
            case FISH -> FishCompletion.of(program);
        };
        spec.commandLine().getOut().print(script);
        spec.commandLine().getOut().flush();
        return ExitCode.DONE;
    }
}
