package io.taskexec.server;

import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.ShutdownDelayInitiatedEvent;
import io.smallrye.mutiny.Uni;
import io.taskexec.config.Role;
import io.taskexec.config.ServerConfig;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.Reception;
import jakarta.inject.Singleton;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.jboss.logging.Logger;

/** Starts and stops the chosen roles in order. */
@Singleton
final class App implements QuarkusApplication {
    private static final Logger LOG = Logger.getLogger(App.class);
    private static final Duration STOP_MARGIN = Duration.ofSeconds(20);

    private final ServerConfig config;
    private final Background background;
    private final WorkerRole worker;
    private final SchedulerRole scheduler;
    private final ApiRole api;
    private final Readiness readiness;
    private final RoleProgress progress;

    App(
            ServerConfig config,
            Background background,
            WorkerRole worker,
            SchedulerRole scheduler,
            ApiRole api,
            Readiness readiness,
            RoleProgress progress) {
        this.config = config;
        this.background = background;
        this.worker = worker;
        this.scheduler = scheduler;
        this.api = api;
        this.readiness = readiness;
        this.progress = progress;
    }

    /** @param announcements are printed when all roles run */
    @Override
    public int run(String... announcements) {
        background.start();
        if (has(Role.WORKER)) {
            worker.start();
        }
        if (has(Role.SCHEDULER)) {
            scheduler.start();
        }
        if (has(Role.API)) {
            api.start();
        }
        progress.started();
        var listening = has(Role.API) ? "API on " + config.listenAddr() + ", " : "";
        LOG.infof("ready: roles %s, %shealth and metrics on %s", config.roles(), listening, config.managementAddr());
        var out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        List.of(announcements).forEach(out::println);
        Quarkus.waitForExit();
        return 0;
    }

    /**
     * Runs before anything else is taken down: the API answers meanwhile, and the last results need the database. Only
     * where roles were started: other commands have nothing to drain, and not the settings to make all of this for it.
     */
    void drain(@Observes(notifyObserver = Reception.IF_EXISTS) ShutdownDelayInitiatedEvent event) {
        readiness.drain();
        stop().await().atMost(worker.shutdownTimeout().plus(STOP_MARGIN));
    }

    private Uni<Void> stop() {
        var nothing = Uni.createFrom().voidItem();
        return Uni.join()
                .all(
                        has(Role.WORKER) ? worker.stop() : nothing,
                        has(Role.SCHEDULER) ? scheduler.stop() : nothing,
                        api.stopReading())
                .andCollectFailures()
                .replaceWithVoid()
                .chain(api::stop)
                .chain(scheduler::stopPublishing)
                .chain(background::stop);
    }

    private boolean has(Role role) {
        return config.roles().contains(role);
    }
}
