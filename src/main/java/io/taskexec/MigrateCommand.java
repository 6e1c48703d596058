package io.taskexec;

import io.quarkus.runtime.QuarkusApplication;
import io.taskexec.store.Migrations;
import jakarta.inject.Singleton;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** Brings the database's schema up to date. */
@Command(
        name = "migrate",
        description = "Brings the schema of the database up to date and exits.",
        mixinStandardHelpOptions = true)
final class MigrateCommand implements Callable<Integer> {
    @Override
    public Integer call() {
        return Server.run(Migrating.class);
    }

    /** The part that needs the database. */
    @Singleton
    static final class Migrating implements QuarkusApplication {
        private final Migrations migrations;

        Migrating(Migrations migrations) {
            this.migrations = migrations;
        }

        @Override
        public int run(String... args) {
            var applied = migrations.run();
            System.out.println(applied == 0 ? "The schema is up to date." : applied + " migrations applied.");
            return 0;
        }
    }
}
