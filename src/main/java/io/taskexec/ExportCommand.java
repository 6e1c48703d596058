package io.taskexec;

import io.quarkus.runtime.QuarkusApplication;
import io.taskexec.secret.KeyRing;
import io.taskexec.store.ExportStore.History;
import io.taskexec.store.Migrations;
import io.taskexec.store.TransferException;
import io.taskexec.transfer.Exporter;
import io.taskexec.transfer.Rekeying;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Writes down all that is stored. */
@Command(
        name = "export",
        description =
                "Writes all that is stored to standard output, one line of JSON for each row, as it was at one moment."
                        + " Secrets stay encrypted.",
        mixinStandardHelpOptions = true)
final class ExportCommand implements Callable<Integer> {
    private static final String NOTHING = "nothing";
    private static final String EVERYTHING = "everything";

    @Option(
            names = {"-f", "--file"},
            paramLabel = "FILE",
            description = "Where to instead of standard output; must not exist.")
    private @Nullable Path file;

    @Option(
            names = "--to-key-file",
            paramLabel = "FILE",
            description = "The key, as id:base64, that secrets are encrypted with on the way; default: TE_EXPORT_KEY,"
                    + " or else the key that they are stored with.")
    private @Nullable Path toKeyFile;

    @Option(names = "--no-history", description = "Leaves out what has ended: executions, ticks, audit log.")
    private boolean noHistory;

    @Option(
            names = "--since",
            paramLabel = "TIME",
            description = "Leaves out what ended before, such as 2026-01-31T00:00:00Z.")
    private @Nullable Instant since;

    @Override
    public Integer call() {
        if (noHistory && since != null) {
            throw new StartRefusedException("Give --no-history or --since, not both.");
        }
        System.setProperty("te.migrate-at-start", "false");
        Transfers.prepare(toKeyFile);
        var history = noHistory ? NOTHING : since == null ? EVERYTHING : since.toString();
        return Server.export(history, file == null ? "" : file.toString());
    }

    /** Runs once it is known that the schema is not older than the program. */
    @Singleton
    static final class Exporting implements QuarkusApplication {
        private final Migrations migrations;
        private final Exporter exporter;
        private final ServerConfig config;

        Exporting(Migrations migrations, Exporter exporter, ServerConfig config) {
            this.migrations = migrations;
            this.exporter = exporter;
            this.config = config;
        }

        /** @param args how much of history, and a file or nothing */
        @Override
        public int run(String... args) {
            return Transfers.run(migrations, () -> export(history(args[0]), args[1]));
        }

        private void export(History history, String file) throws IOException {
            // Before there is a file, which would be in the way of the next try.
            var keys = keys(config);
            var exported = Transfers.counting(count ->
                    Transfers.write(file, out -> exporter.export(migrations.version(), history, keys, out, count)));
            Launch.announce(exported + " rows exported.");
        }

        private static History history(String text) {
            return switch (text) {
                case NOTHING -> new History.Nothing();
                case EVERYTHING -> new History.Everything();
                default -> new History.Since(Instant.parse(text));
            };
        }

        static Rekeying keys(ServerConfig config) {
            if (config.exportKey().isEmpty()) {
                return Rekeying.none();
            }
            var own = config.secretEncryptionKey()
                    .orElseThrow(
                            () -> new TransferException(
                                    "To encrypt secrets with another key, they must be opened first: set TE_SECRET_ENCRYPTION_KEY."));
            return Rekeying.between(
                    KeyRing.parse(own), KeyRing.parseForUse(config.exportKey().orElseThrow()));
        }
    }
}
