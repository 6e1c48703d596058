package io.taskexec.scheduler;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.job.LedgerStore;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.Removal;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.UUID;

/** Removes ticks and counts that are older than history is kept, of some schedules at a time. */
@Singleton
final class LedgerRetention implements SchedulerDuty {
    private static final int SCHEDULES = 100;
    private static final UUID START = new UUID(0, 0);
    private static final Duration BETWEEN_ROUNDS = Duration.ofHours(1);

    private final Database database;
    private final LedgerStore store;
    private final SchedulerConfig config;
    private UUID position = START;

    LedgerRetention(Database database, LedgerStore store, SchedulerConfig config) {
        this.database = database;
        this.store = store;
        this.config = config;
    }

    @Override
    public String name() {
        return "removing old ticks";
    }

    @Override
    public ClockStep clockStep() {
        return ClockStep.OF_DAY;
    }

    @Override
    public Uni<Duration> runOnce() {
        if (config.retentionDays() == 0) {
            return Uni.createFrom().item(BETWEEN_ROUNDS);
        }
        var beganAt = System.nanoTime();
        return database.now()
                .map(now -> now.minus(config.retention()))
                .chain(end -> store.deleteBefore(end, position, SCHEDULES, RemovalPace.BATCH))
                .map(batch -> goOn(batch) ? RemovalPace.restAfter(beganAt) : BETWEEN_ROUNDS);
    }

    /** Whether there is more to look at. */
    private boolean goOn(Removal batch) {
        if (batch.removed() == RemovalPace.BATCH) {
            return true;
        }
        var last = batch.last();
        position = last == null || batch.seen() < SCHEDULES ? START : last;
        return !position.equals(START);
    }
}
