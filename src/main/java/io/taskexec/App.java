package io.taskexec;

import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.ShutdownEvent;
import io.smallrye.mutiny.Uni;
import io.taskexec.scheduler.Scheduler;
import io.taskexec.store.DueSignal;
import io.taskexec.worker.Worker;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.Reception;
import jakarta.inject.Singleton;
import java.time.Duration;

/** Starts and stops the chosen roles in order. */
@Singleton
final class App implements QuarkusApplication {
    private static final Duration STOP_MARGIN = Duration.ofSeconds(15);

    private final ServerConfig config;
    private final Worker worker;
    private final Scheduler scheduler;
    private final Readiness readiness;
    private final DueSignal dueSignal;
    private final Uni<Void> stopped =
            Uni.createFrom().deferred(this::stop).memoize().indefinitely();

    App(ServerConfig config, Worker worker, Scheduler scheduler, Readiness readiness, DueSignal dueSignal) {
        this.config = config;
        this.worker = worker;
        this.scheduler = scheduler;
        this.readiness = readiness;
        this.dueSignal = dueSignal;
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
        awaitStopped();
        return 0;
    }

    /**
     * At a signal Quarkus takes down the program in the signal's own thread, while {@link #run} has only just been woken:
     * the pool would be closed under the results of what still runs. Here it waits until the last one is written.
     */
    void drain(@Observes(notifyObserver = Reception.IF_EXISTS) ShutdownEvent event) {
        awaitStopped();
    }

    private void awaitStopped() {
        stopped.await().atMost(worker.shutdownTimeout().plus(STOP_MARGIN));
    }

    private Uni<Void> stop() {
        readiness.drain();
        var scheduling =
                has(Role.SCHEDULER) ? scheduler.stop() : Uni.createFrom().voidItem();
        return scheduling.chain(
                () -> has(Role.WORKER) ? worker.stop() : Uni.createFrom().voidItem());
    }

    private boolean has(Role role) {
        return config.roles().contains(role);
    }
}
