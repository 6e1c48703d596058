package io.taskexec.cli.noun;

import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.ServerCommand;
import io.taskexec.model.OperationSummary;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Revokes an API key. */
@Command(name = "revoke", description = OperationSummary.REVOKE_KEY + " Every process refuses it within ten seconds.")
final class KeyRevoke extends ServerCommand {
    @Parameters(paramLabel = "ID", description = "Id of the key, as 'keys list' shows it.")
    private String id = "";

    @Override
    public Integer call() {
        var key = Nouns.KEYS.bare(id);
        // Users confuse the id with the key, which must not become part of a logged path.
        if (!key.matches("key_[A-Za-z0-9]{1,32}")) {
            throw invalid("The id of a key begins with key_; 'taskexec keys list' shows it.");
        }
        return callServer(client -> {
            var _ = client.delete(Nouns.KEYS.one(key).toString());
            println("Key " + key + " is revoked.");
            return ExitCode.DONE;
        });
    }
}
