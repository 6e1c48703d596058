package io.taskexec.worker;

import io.smallrye.mutiny.TimeoutException;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.delivery.Outcome;
import jakarta.inject.Singleton;
import java.time.Duration;

/**
 * Ends the executions of a worker that stops (graceful shutdown): hands back at once what has not begun, lets what
 * runs end within the time allowed, and hands the rest back so that another worker can have it.
 */
@Singleton
final class Drain {
    /** The longest time to write the last results after all calls were cancelled. */
    private static final Duration LAST_WRITES = Duration.ofSeconds(5);

    private final WaitingReturn waiting;
    private final RunningLeases running;
    private final WorkerConfig config;

    Drain(WaitingReturn waiting, RunningLeases running, WorkerConfig config) {
        this.waiting = waiting;
        this.running = running;
        this.config = config;
    }

    /** Nothing may be claimed any more. */
    Uni<Void> run() {
        return waiting.handBackAll()
                .chain(() -> drained(config.shutdownTimeout()))
                .invoke(() -> running.cancelAll(new Outcome.Interrupted()))
                .chain(() -> drained(LAST_WRITES));
    }

    /** The time that {@link #run} lets executions run. */
    Duration timeout() {
        return config.shutdownTimeout();
    }

    private Uni<Void> drained(Duration atMost) {
        if (atMost.isZero()) {
            // Not a timeout that Mutiny takes.
            return Uni.createFrom().voidItem();
        }
        return running.whenEmpty()
                .ifNoItem()
                .after(atMost)
                .fail()
                .onFailure(TimeoutException.class)
                .recoverWithNull();
    }
}
