package io.taskexec.command;

import io.quarkus.runtime.QuarkusApplication;
import io.taskexec.server.Launch;
import io.taskexec.server.SchemaSetup;
import io.taskexec.server.Server;
import jakarta.inject.Singleton;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Brings the database's schema up to date. */
@Command(
        name = "migrate",
        description = "Brings the schema of the database up to date and exits.",
        mixinStandardHelpOptions = true)
public final class MigrateCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        Launch.listen(spec.commandLine().getOut()::println);
        System.setProperty("te.migrate-at-start", "true");
        return Server.runWhenDatabaseIsUp(Migrating.class);
    }

    /** Runs once the schema has been seen to. */
    @Singleton
    static final class Migrating implements QuarkusApplication {
        private final SchemaSetup schema;

        Migrating(SchemaSetup schema) {
            this.schema = schema;
        }

        @Override
        public int run(String... args) {
            var applied = schema.applied();
            Launch.announce(applied == 0 ? "The schema is up to date." : applied + " migrations applied.");
            return 0;
        }
    }
}
