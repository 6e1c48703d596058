package io.taskexec.command;

import io.quarkus.runtime.QuarkusApplication;
import io.taskexec.server.SchemaSetup;
import io.taskexec.server.Server;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** Brings the database's schema up to date. */
@Command(
        name = "migrate",
        description = "Bring the schema of the database up to date and exit.",
        mixinStandardHelpOptions = true)
public final class MigrateCommand implements Callable<Integer> {
    @Override
    public Integer call() {
        return Server.runWhenDatabaseIsUp(Migrating.class, Map.of("te.migrate-at-start", "true"));
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
            System.out.println(applied == 0 ? "The schema is up to date." : applied + " migrations applied.");
            return 0;
        }
    }
}
