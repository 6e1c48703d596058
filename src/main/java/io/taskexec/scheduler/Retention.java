package io.taskexec.scheduler;

import io.smallrye.mutiny.Uni;
import io.taskexec.loop.Duty;
import io.taskexec.store.RetentionStore;
import java.time.Duration;
import java.time.Instant;

/** Removes history, operations and entries of the audit log that are older than they are kept, a small batch at a time. */
final class Retention implements Duty {
    private static final int BATCH = 5_000;
    private static final Duration BETWEEN_BATCHES = Duration.ofMillis(100);
    private static final Duration BETWEEN_ROUNDS = Duration.ofMinutes(1);

    private final RetentionStore store;
    private final SchedulerConfig config;
    private final RetentionMetrics metrics;

    Retention(RetentionStore store, SchedulerConfig config, RetentionMetrics metrics) {
        this.store = store;
        this.config = config;
        this.metrics = metrics;
    }

    @Override
    public Uni<Duration> runOnce() {
        if (config.retentionDays() == 0) {
            return Uni.createFrom().item(BETWEEN_ROUNDS);
        }
        var end = Instant.now().minus(config.retention());
        return store.deleteEndedBefore(end, BATCH)
                .chain(executions -> store.deleteAuditBefore(end, BATCH)
                        .invoke(entries -> metrics.ran(executions, entries))
                        .map(entries -> Math.max(executions, entries)))
                .chain(most -> store.deleteEventsBefore(end, BATCH).map(events -> Math.max(most, events)))
                .chain(most -> store.deleteOperationsBefore(end, BATCH).map(operations -> Math.max(most, operations)))
                .map(deleted -> deleted == BATCH ? BETWEEN_BATCHES : BETWEEN_ROUNDS);
    }
}
