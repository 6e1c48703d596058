package io.taskexec;

import io.quarkus.runtime.StartupEvent;
import io.taskexec.store.Migrations;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import org.jboss.logging.Logger;

/** Lets no role run on an old schema. */
@Singleton
final class SchemaGate {
    private static final Logger LOG = Logger.getLogger(SchemaGate.class);

    private final ServerConfig config;
    private final Migrations migrations;

    SchemaGate(ServerConfig config, Migrations migrations) {
        this.config = config;
        this.migrations = migrations;
    }

    /** Runs before the API's port is opened, so that no request meets an old schema. */
    void prepare(@Observes StartupEvent event) {
        if (!Launch.isServing()) {
            return;
        }
        if (config.migrateAtStart() == ServerConfig.Switch.TRUE) {
            LOG.infof("%d migrations applied", migrations.run());
        } else if (migrations.pending()) {
            throw Launch.refuse(
                    "The database's schema is not up to date: run 'taskexec migrate' or set TE_MIGRATE_AT_START=true.");
        }
    }
}
