package io.taskexec.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** API keys of a running server. */
@Command(
        name = "keys",
        description = "Creates, lists and revokes API keys of a running server.",
        mixinStandardHelpOptions = true,
        subcommands = {KeysCreate.class, KeysList.class, KeysRevoke.class})
public final class Keys implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Say what to do: create, list or revoke.");
    }
}
