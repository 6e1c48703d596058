package io.taskexec.scheduler;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.job.IdempotencyKeyStore;
import io.taskexec.store.sql.Database;
import jakarta.inject.Singleton;
import java.time.Duration;

/** Removes the idempotency keys that have expired, a small batch at a time. */
@Singleton
final class ExpiredKeys implements SchedulerDuty {
    private final Database database;
    private final IdempotencyKeyStore store;

    ExpiredKeys(Database database, IdempotencyKeyStore store) {
        this.database = database;
        this.store = store;
    }

    @Override
    public String name() {
        return "removing expired idempotency keys";
    }

    @Override
    public ClockStep clockStep() {
        return ClockStep.OF_DAY;
    }

    @Override
    public Uni<Duration> runOnce() {
        var beganAt = System.nanoTime();
        return database.now()
                .chain(now -> store.sweep(now, RemovalPace.BATCH))
                .map(seen -> seen == RemovalPace.BATCH ? RemovalPace.restAfter(beganAt) : RemovalPace.BETWEEN_ROUNDS);
    }
}
