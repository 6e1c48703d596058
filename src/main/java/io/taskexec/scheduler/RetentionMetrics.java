package io.taskexec.scheduler;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.util.concurrent.atomic.AtomicLong;

/** Counts what retention has removed, and records when it last finished. */
@Singleton
final class RetentionMetrics {
    private final AtomicLong ranAt = new AtomicLong();
    private final Counter executions;
    private final Counter auditEntries;
    private final Counter events;

    RetentionMetrics(MeterRegistry registry) {
        executions = removed(registry, "executions");
        auditEntries = removed(registry, "audit_log");
        events = removed(registry, "event_log");
        Gauge.builder("taskexec.retention.last.run.timestamp", ranAt, ran -> ran.get() / 1000.0)
                .baseUnit("seconds")
                .description("When this process last had removed all that is older than history is kept, or began to; 0"
                        + " when it is kept for ever")
                .strongReference(true)
                .register(registry);
    }

    private static Counter removed(MeterRegistry registry, String table) {
        return Counter.builder("taskexec.retention.removed")
                .description("Rows that were removed for their age")
                .tag("table", table)
                .register(registry);
    }

    void removedExecutions(long rows) {
        executions.increment((double) rows);
    }

    void removedAuditEntries(int rows) {
        auditEntries.increment(rows);
    }

    void removedEvents(int rows) {
        events.increment(rows);
    }

    /** It is due from now on: what has failed since then has an age too. */
    void begins() {
        var _ = ranAt.compareAndSet(0, System.currentTimeMillis());
    }

    /** Everything has been looked at. */
    void ran() {
        ranAt.set(System.currentTimeMillis());
    }
}
