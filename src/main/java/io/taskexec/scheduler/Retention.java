package io.taskexec.scheduler;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.ProgramClock;
import io.taskexec.store.execution.RetentionStore;
import io.taskexec.store.sql.Removal;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

/**
 * Removes history, operations and entries of the audit log that are older than they are kept, a small batch at a time.
 */
@Singleton
final class Retention implements SchedulerDuty {
    private static final UUID START = new UUID(0, 0);

    private final RetentionStore store;
    private final SchedulerConfig config;
    private final RetentionMetrics metrics;
    private UUID position = START;

    Retention(RetentionStore store, SchedulerConfig config, RetentionMetrics metrics) {
        this.store = store;
        this.config = config;
        this.metrics = metrics;
    }

    @Override
    public String name() {
        return "removing old history";
    }

    @Override
    public ClockStep clockStep() {
        return ClockStep.OF_DAY;
    }

    @Override
    public Uni<Duration> runOnce() {
        if (config.retentionDays() == 0) {
            return Uni.createFrom().item(RemovalPace.BETWEEN_ROUNDS);
        }
        metrics.begins();
        var beganAt = System.nanoTime();
        var end = ProgramClock.now().minus(config.retention());
        return store.deleteEndedBefore(end, position, RemovalPace.BATCH)
                .map(this::goOn)
                // With each batch, since those of executions may never come to an end where many expire.
                .chain(more -> removeOthers(end).map(others -> more || others))
                .map(more -> {
                    if (more) {
                        return RemovalPace.restAfter(beganAt);
                    }
                    metrics.ran();
                    return RemovalPace.BETWEEN_ROUNDS;
                });
    }

    /** Whether there are more executions to look at. */
    private boolean goOn(Removal batch) {
        metrics.removedExecutions(batch.removed());
        var last = batch.last();
        position = last == null || batch.seen() < RemovalPace.BATCH ? START : last;
        return !position.equals(START);
    }

    /** Of what is little beside executions; returns whether there may be more. */
    private Uni<Boolean> removeOthers(Instant end) {
        return store.deleteAuditBefore(end, RemovalPace.BATCH)
                .invoke(metrics::removedAuditEntries)
                .chain(most -> store.deleteEventsBefore(end, RemovalPace.BATCH).map(events -> Math.max(most, events)))
                .chain(most -> store.deleteOperationsBefore(end, RemovalPace.BATCH)
                        .map(operations -> Math.max(most, operations)))
                .map(most -> most == RemovalPace.BATCH);
    }
}
