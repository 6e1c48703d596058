package io.taskexec;

import io.quarkus.runtime.QuarkusApplication;
import io.taskexec.secret.KeyRing;
import io.taskexec.store.Migrations;
import io.taskexec.store.TransferException;
import io.taskexec.transfer.Importer;
import io.taskexec.transfer.Rekeying;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Reads what an export has written. */
@Command(
        name = "import",
        description = "Reads what 'export' has written, from standard input, into a database that was only migrated."
                + " Broken off, it is run again.",
        mixinStandardHelpOptions = true)
final class ImportCommand implements Callable<Integer> {
    @Option(
            names = {"-f", "--file"},
            paramLabel = "FILE",
            description = "Where from instead of standard input.")
    private @Nullable Path file;

    @Option(
            names = "--from-key-file",
            paramLabel = "FILE",
            description =
                    "The key, as id:base64, that secrets were encrypted with on the way; default: TE_EXPORT_KEY, or"
                            + " else TE_SECRET_ENCRYPTION_KEY, which they are stored with.")
    private @Nullable Path fromKeyFile;

    @Override
    public Integer call() {
        Transfers.prepare(fromKeyFile);
        return Server.importAll(file == null ? "" : file.toString());
    }

    /** Runs once it is known that the schema is not older than the program. */
    @Singleton
    static final class Importing implements QuarkusApplication {
        private final Migrations migrations;
        private final Importer importer;
        private final ServerConfig config;

        Importing(Migrations migrations, Importer importer, ServerConfig config) {
            this.migrations = migrations;
            this.importer = importer;
            this.config = config;
        }

        /** @param args a file or nothing */
        @Override
        public int run(String... args) {
            return Transfers.run(migrations, () -> read(args[0]));
        }

        private void read(String file) throws IOException {
            var imported = Transfers.counting(count -> {
                try (var in = open(file)) {
                    importer.read(migrations.version(), keys(config), in, count);
                }
            });
            Launch.announce(imported + " rows imported.");
        }

        private static InputStream open(String file) throws IOException {
            return file.isEmpty() ? System.in : Files.newInputStream(Path.of(file));
        }

        static Rekeying keys(ServerConfig config) {
            var own = config.secretEncryptionKey()
                    .orElseThrow(() -> new TransferException(
                            "No key for secrets: set TE_SECRET_ENCRYPTION_KEY to the one that the servers have."));
            var of = config.exportKey().orElse(own);
            return Rekeying.between(KeyRing.parse(of), KeyRing.parseForUse(own));
        }
    }
}
