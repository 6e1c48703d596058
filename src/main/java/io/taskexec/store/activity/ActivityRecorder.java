package io.taskexec.store.activity;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.ProgramClock;
import io.taskexec.model.Uuid7;
import io.taskexec.model.activity.ActivityMinute;
import io.taskexec.store.metrics.StoreMetrics;
import io.taskexec.store.sql.Database;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import java.util.function.Supplier;

/** Records what this process does by the minute. While nothing is done, it asks the database nothing. */
@Singleton
public final class ActivityRecorder {
    private final ActivityStore store;
    private final ActivityCounts counts;
    private final StoreMetrics metrics;
    private final Supplier<Instant> clock;
    private final UUID process = Uuid7.next();

    /** All that was counted since the start and has been recorded. */
    private ActivityMinute recorded = ActivityMinute.empty(Instant.EPOCH);

    /** What has been recorded of the latest minute. */
    private ActivityMinute latest = recorded;

    @Inject
    public ActivityRecorder(ActivityStore store, ActivityCounts counts, Database database) {
        this(store, counts, database.metrics(), ProgramClock::now);
    }

    ActivityRecorder(ActivityStore store, ActivityCounts counts, StoreMetrics metrics, Supplier<Instant> clock) {
        this.store = store;
        this.counts = counts;
        this.metrics = metrics;
        this.clock = clock;
    }

    /** Writes what is new, if anything is. Never called twice at the same time. */
    public Uni<Void> record() {
        var totals = totals();
        var at = clock.get().truncatedTo(ChronoUnit.MINUTES);
        var before = at.equals(latest.at()) ? latest : ActivityMinute.empty(at);
        var minute = before.plus(totals.since(recorded)).with(totals.depth());
        return minute.equals(before)
                ? Uni.createFrom().voidItem()
                : store.write(process, minute).invoke(() -> {
                    recorded = totals;
                    latest = minute;
                });
    }

    private ActivityMinute totals() {
        var failures = counts.failures();
        var latencies = counts.latencies();
        var attempts =
                latencies.counts().values().stream().mapToLong(Long::longValue).sum();
        return new ActivityMinute(
                Instant.EPOCH,
                metrics.createdInAll(),
                metrics.endedInAll(),
                attempts,
                failures,
                latencies,
                counts.depth());
    }
}
