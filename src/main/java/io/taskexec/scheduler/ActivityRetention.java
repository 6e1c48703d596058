package io.taskexec.scheduler;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.activity.ActivityStore;
import io.taskexec.store.sql.Database;
import jakarta.inject.Singleton;
import java.time.Duration;

/** Removes what was done in minutes that are older than they are kept. */
@Singleton
final class ActivityRetention implements SchedulerDuty {
    /** Few rows come in this time: one of each process and minute. */
    private static final Duration BETWEEN_ROUNDS = Duration.ofHours(1);

    private static final int BATCH = 1_000;

    private final Database database;
    private final ActivityStore store;

    ActivityRetention(Database database, ActivityStore store) {
        this.database = database;
        this.store = store;
    }

    @Override
    public String name() {
        return "removing old activity";
    }

    @Override
    public ClockStep clockStep() {
        return ClockStep.OF_DAY;
    }

    @Override
    public Uni<Duration> runOnce() {
        var beganAt = System.nanoTime();
        return database.now()
                .chain(now -> store.removeBefore(now.minus(ActivityStore.KEPT), BATCH))
                .map(removed -> removed == BATCH ? RemovalPace.restAfter(beganAt) : BETWEEN_ROUNDS);
    }
}
