package io.taskexec.command;

import io.quarkus.runtime.QuarkusApplication;
import io.taskexec.cli.text.TerminalWriter;
import io.taskexec.config.ServerConfig;
import io.taskexec.config.StartRefusedException;
import io.taskexec.secret.KeyRing;
import io.taskexec.secret.SecretCipher;
import io.taskexec.secret.SecretUnreadableException;
import io.taskexec.server.SchemaSetup;
import io.taskexec.server.Server;
import io.taskexec.store.endpoint.SecretStore;
import io.taskexec.store.endpoint.SecretStore.Stored;
import io.taskexec.store.migration.Migrations;
import jakarta.inject.Singleton;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/** Encrypts stored secrets with the first key of the key ring, so that the keys behind it can be removed. */
@Command(
        name = "rekey",
        description = "Encrypt every secret in the database of TE_DATABASE_URL with the first key of"
                + " TE_SECRET_ENCRYPTION_KEY. Servers may run; it can be repeated. Ends with 0, with 1 when a secret"
                + " cannot be read, or with 2 when nothing can be done.",
        exitCodeOnExecutionException = Server.REFUSED,
        mixinStandardHelpOptions = true)
public final class SecretsRekeyCommand implements Callable<Integer> {
    @Override
    public Integer call() {
        return Server.runOnDatabase(Rekeying.class, Map.of());
    }

    /** Runs once it is known that the schema is not older than the program. */
    @Singleton
    static final class Rekeying implements QuarkusApplication {
        private static final int PAGE = 100;
        private static final int UNREADABLE = 1;

        private final Migrations migrations;
        private final SecretStore store;
        private final ServerConfig config;
        private final PrintWriter out =
                TerminalWriter.ofOutput(new PrintWriter(System.out, false, StandardCharsets.UTF_8));
        private int changed;
        private int left;
        private int unreadable;

        Rekeying(Migrations migrations, SecretStore store, ServerConfig config) {
            this.migrations = migrations;
            this.store = store;
            this.config = config;
        }

        @Override
        public int run(String... args) {
            SchemaSetup.refuseNewer(migrations);
            var keys = config.secretEncryptionKey();
            if (keys.isEmpty()) {
                throw new StartRefusedException("No key for secrets: set TE_SECRET_ENCRYPTION_KEY or"
                        + " TE_SECRET_ENCRYPTION_KEY_FILE to id:base64 of 32 bytes.");
            }
            KeyRing ring;
            try {
                ring = KeyRing.parseForUse(keys.orElseThrow());
            } catch (IllegalArgumentException e) {
                throw new StartRefusedException("TE_SECRET_ENCRYPTION_KEY cannot be used: " + e.getMessage());
            }
            try {
                return rekey(ring);
            } catch (RuntimeException e) {
                throw new StartRefusedException(
                        "Stopped after %d secrets; run it again for the others: %s".formatted(changed, e.getMessage()));
            }
        }

        private int rekey(KeyRing keys) {
            var cipher = new SecretCipher(keys);
            var page = store.storedAfter("", PAGE).await().indefinitely();
            while (!page.isEmpty()) {
                page.forEach(secret -> rekey(cipher, secret));
                page = store.storedAfter(page.getLast().name(), PAGE).await().indefinitely();
            }
            out.println("%d secrets were encrypted with key '%s', %d already were."
                    .formatted(changed, keys.activeId(), left));
            if (unreadable > 0) {
                out.println(unreadable + " cannot be read, and stay as they are.");
            }
            return unreadable == 0 ? 0 : UNREADABLE;
        }

        private void rekey(SecretCipher cipher, Stored secret) {
            @Nullable Stored current = secret;
            while (current != null) {
                var encrypted = encrypted(cipher, current);
                if (encrypted == null) {
                    return;
                }
                if (store.replaceValue(current, encrypted).await().indefinitely()) {
                    changed++;
                    return;
                }
                // It was written or deleted meanwhile, perhaps by a server that has another first key.
                current = store.stored(current.name()).await().indefinitely();
            }
        }

        /** Null when there is nothing to change, which is counted. */
        private byte @Nullable [] encrypted(SecretCipher cipher, Stored secret) {
            try {
                var encrypted = cipher.withActiveKey(secret.name(), secret.encrypted());
                if (encrypted == null) {
                    left++;
                }
                return encrypted;
            } catch (SecretUnreadableException e) {
                unreadable++;
                out.println(String.valueOf(e.getMessage()));
                return null;
            }
        }
    }
}
