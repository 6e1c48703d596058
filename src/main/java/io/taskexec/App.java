package io.taskexec;

import io.quarkus.runtime.PreventFurtherStepsException;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.mutiny.Uni;
import io.taskexec.scheduler.Scheduler;
import io.taskexec.store.DueSignal;
import io.taskexec.store.Migrations;
import io.taskexec.worker.Worker;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.jboss.logging.Logger;

/** Starts and stops the chosen roles in order. */
@Singleton
final class App implements QuarkusApplication {
    private static final Logger LOG = Logger.getLogger(App.class);
    private static final int REFUSED = 2;
    private static final Duration STOP_MARGIN = Duration.ofSeconds(15);

    private final ServerConfig config;
    private final Migrations migrations;
    private final Worker worker;
    private final Scheduler scheduler;
    private final Readiness readiness;
    private final DueSignal dueSignal;

    App(
            ServerConfig config,
            Migrations migrations,
            Worker worker,
            Scheduler scheduler,
            Readiness readiness,
            DueSignal dueSignal) {
        this.config = config;
        this.migrations = migrations;
        this.worker = worker;
        this.scheduler = scheduler;
        this.readiness = readiness;
        this.dueSignal = dueSignal;
    }

    /** Runs before the API's port is opened, so that no request meets an old schema. */
    void prepare(@Observes StartupEvent event) {
        if (config.migrateAtStart()) {
            LOG.infof("%d migrations applied", migrations.run());
        } else if (migrations.pending()) {
            throw new PreventFurtherStepsException(
                    "The database's schema is not up to date: run 'taskexec migrate' or set TE_MIGRATE_AT_START=true.",
                    REFUSED);
        }
    }

    @Override
    public int run(String... args) {
        if (has(Role.WORKER)) {
            dueSignal.onSignal(worker::wake);
            worker.start();
        }
        if (has(Role.SCHEDULER)) {
            scheduler.start();
        }
        Started.announce();
        Quarkus.waitForExit();
        return 0;
    }

    /** Runs before anything else is taken down: the last results need the database. */
    void drain(@Observes ShutdownEvent event) {
        readiness.drain();
        stop().await().atMost(worker.shutdownTimeout().plus(STOP_MARGIN));
    }

    private Uni<Void> stop() {
        var scheduling =
                has(Role.SCHEDULER) ? scheduler.stop() : Uni.createFrom().voidItem();
        return scheduling.chain(
                () -> has(Role.WORKER) ? worker.stop() : Uni.createFrom().voidItem());
    }

    private boolean has(Role role) {
        return config.roles().contains(role);
    }
}
