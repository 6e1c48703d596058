package io.taskexec.command;

import io.quarkus.runtime.QuarkusApplication;
import io.taskexec.check.CheckDepth;
import io.taskexec.check.Probe;
import io.taskexec.config.StartRefusedException;
import io.taskexec.embedded.DataDirectory;
import io.taskexec.embedded.DataDirectoryInUseException;
import io.taskexec.embedded.EmbeddedDatabase;
import io.taskexec.server.Launch;
import io.taskexec.server.SchemaSetup;
import io.taskexec.server.Server;
import io.taskexec.store.sql.Migrations;
import jakarta.inject.Singleton;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Looks whether anything was lost or left behind. */
@Command(
        name = "check",
        description = "Looks at a live database for what must not be: lost executions, missed ticks, orphans."
                + " Ends with 0 when there is nothing, 1 when there is something, 2 when it cannot look.",
        mixinStandardHelpOptions = true)
public final class CheckCommand implements Callable<Integer> {
    private static final int VIOLATED = 1;

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

    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** The format of the findings. */
    enum Output {
        TABLE,
        JSON
    }

    @Override
    public Integer call() {
        return dataDir == null ? check() : check(dataDir);
    }

    private int check(Path directory) {
        if (!EmbeddedDatabase.exists(directory)) {
            throw new StartRefusedException("There is no database of 'taskexec dev' in " + directory + ".");
        }
        try (var held = DataDirectory.open(directory);
                var database = EmbeddedDatabase.start(held.path())) {
            return check(database.url());
        } catch (DataDirectoryInUseException _) {
            var url = EmbeddedDatabase.running(directory);
            if (url == null) {
                throw new StartRefusedException(
                        "The database in " + directory + " is being started or stopped: try again.");
            }
            return check(url);
        }
    }

    private int check(String url) {
        System.setProperty("te.database-url", url);
        return check();
    }

    private int check() {
        Launch.listen(this::print);
        System.setProperty("te.migrate-at-start", "false");
        // What is printed may be read by a program.
        System.setProperty("quarkus.log.console.stderr", "true");
        return Server.runOnDatabase(Checking.class, output.name());
    }

    private void print(String report) {
        spec.commandLine().getOut().print(report);
        spec.commandLine().getOut().flush();
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
            if (migrations.ahead()) {
                return Launch.refused(SchemaSetup.NEWER);
            }
            try {
                var report =
                        new CheckReport(probe.look(CheckDepth.THOROUGH).await().indefinitely());
                Launch.announce(Output.valueOf(args[0]) == Output.JSON ? report.json() : report.table());
                return report.isClean() ? 0 : VIOLATED;
            } catch (RuntimeException e) {
                return Launch.refused("The database cannot be checked: " + e.getMessage());
            }
        }
    }
}
