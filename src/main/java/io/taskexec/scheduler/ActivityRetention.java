package io.taskexec.scheduler;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.ProgramClock;
import io.taskexec.store.activity.ActivityStore;
import jakarta.inject.Singleton;
import java.time.Duration;

/** Removes what was done in minutes that are older than they are kept. */
@Singleton
final class ActivityRetention implements SchedulerDuty {
    /** Few rows come in this time: one of each process and minute. */
    private static final Duration BETWEEN_ROUNDS = Duration.ofHours(1);

    private static final int BATCH = 1_000;

    private final ActivityStore store;

    ActivityRetention(ActivityStore store) {
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
        return store.removeBefore(ProgramClock.now().minus(ActivityStore.KEPT), BATCH)
                .map(removed -> removed == BATCH ? RemovalPace.restAfter(beganAt) : BETWEEN_ROUNDS);
    }
}
