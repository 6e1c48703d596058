package io.taskexec.command;

import io.quarkus.runtime.QuarkusApplication;
import io.taskexec.check.CheckDepth;
import io.taskexec.check.Probe;
import io.taskexec.cli.text.TerminalWriter;
import io.taskexec.config.StartRefusedException;
import io.taskexec.embedded.EmbeddedDatabase;
import io.taskexec.server.SchemaSetup;
import io.taskexec.server.Server;
import io.taskexec.store.migration.Migrations;
import jakarta.inject.Singleton;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Looks whether anything was lost or left behind. */
@Command(
        name = "check",
        description = "Check a live database for lost executions, missed ticks and orphans."
                + " Ends with 0 when every invariant holds, 1 when one does not, 2 when the check cannot run.",
        exitCodeOnExecutionException = Server.REFUSED,
        mixinStandardHelpOptions = true)
public final class CheckCommand implements Callable<Integer> {
    private static final int VIOLATED = 1;
    private static final String DATABASE = "te.database-url";

    @Option(
            names = "--data-dir",
            paramLabel = "DIR",
            description = "The database of 'taskexec dev' that is kept there, whether it runs or not;"
                    + " default: the one that TE_DATABASE_URL names.")
    private @Nullable Path dataDir;

    @Option(
            names = {"-o", "--output"},
            defaultValue = "TABLE",
            description = "${COMPLETION-CANDIDATES} (${DEFAULT-VALUE}).")
    private Output output = Output.TABLE;

    /** The format of the findings. */
    enum Output {
        TABLE,
        JSON
    }

    @Override
    public Integer call() {
        return dataDir == null ? check(Map.of()) : check(dataDir);
    }

    private int check(Path directory) {
        if (!EmbeddedDatabase.exists(directory)) {
            throw new StartRefusedException("There is no database of 'taskexec dev' in " + directory + ".");
        }
        return DevDatabase.with(directory, url -> check(Map.of(DATABASE, url)));
    }

    private int check(Map<String, String> options) {
        return Server.runOnDatabase(Checking.class, options, output.name());
    }

    /** Runs once it is known that the schema is not older than the program. */
    @Singleton
    static final class Checking implements QuarkusApplication {
        private final Migrations migrations;
        private final Probe probe;

        Checking(Migrations migrations, Probe probe) {
            this.migrations = migrations;
            this.probe = probe;
        }

        /** @param args the name of an output */
        @Override
        public int run(String... args) {
            SchemaSetup.refuseNewer(migrations);
            var report = report();
            var out = TerminalWriter.ofOutput(new PrintWriter(System.out, false, StandardCharsets.UTF_8));
            out.print(Output.valueOf(args[0]) == Output.JSON ? report.json() : report.table());
            out.flush();
            return report.isClean() ? 0 : VIOLATED;
        }

        private CheckReport report() {
            try {
                return new CheckReport(probe.look(CheckDepth.THOROUGH).await().indefinitely());
            } catch (RuntimeException e) {
                throw new StartRefusedException("The database cannot be checked: " + e.getMessage());
            }
        }
    }
}
