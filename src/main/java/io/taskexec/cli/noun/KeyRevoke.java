package io.taskexec.cli.noun;

import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.ServerOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Takes a key back. */
@Command(
        name = "revoke",
        description = "Revokes a key; every process refuses it within ten seconds.",
        mixinStandardHelpOptions = true)
final class KeyRevoke implements Callable<Integer> {
    @Parameters(paramLabel = "ID", description = "The id of the key, as 'keys list' shows it.")
    private String id = "";

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        var key = Nouns.KEYS.bare(id);
        // An id is part of the path, and the key itself is likely to be taken for it.
        if (!key.matches("key_[A-Za-z0-9]{1,32}")) {
            throw new ParameterException(
                    spec.commandLine(), "The id of a key begins with key_; 'taskexec keys list' shows it.");
        }
        return server.call(spec, client -> {
            client.delete(Nouns.KEYS.one(key).toString());
            spec.commandLine().getOut().println("Key " + key + " is revoked.");
            spec.commandLine().getOut().flush();
            return ExitCode.DONE;
        });
    }
}
