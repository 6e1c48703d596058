package io.taskexec.server;

import io.quarkus.runtime.StartupEvent;
import io.taskexec.config.ServerConfig;
import io.taskexec.config.StartRefusedException;
import io.taskexec.store.migration.MigrationException;
import io.taskexec.store.migration.Migrations;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;

/** Sees to the schema before the API's port is opened, so that no request meets an old one. */
@Singleton
public final class SchemaSetup {
    private final ServerConfig config;
    private final Migrations migrations;
    private int applied;

    SchemaSetup(ServerConfig config, Migrations migrations) {
        this.config = config;
        this.migrations = migrations;
    }

    void prepare(@Observes StartupEvent event) {
        try {
            prepare();
        } catch (MigrationException e) {
            throw new StartRefusedException(
                    "The schema of the database cannot be used or brought up to date: " + e.getMessage());
        }
    }

    private void prepare() {
        if (config.migrateAtStart().isOn()) {
            applied = migrations.run();
        } else if (migrations.pending()) {
            throw new StartRefusedException(
                    "The schema of the database is not up to date: run 'taskexec migrate' or set"
                            + " TE_MIGRATE_AT_START=true.");
        }
    }

    /** Refuses a command on a schema that is newer than the program. */
    public static void refuseNewer(Migrations migrations) {
        if (migrations.ahead()) {
            throw new StartRefusedException(
                    "The schema of the database is newer than this taskexec: use the newer one.");
        }
    }

    /** The number of migrations that this start has applied. */
    public int applied() {
        return applied;
    }
}
