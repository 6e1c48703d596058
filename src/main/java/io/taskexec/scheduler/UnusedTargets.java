package io.taskexec.scheduler;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.endpoint.TargetStore;
import jakarta.inject.Singleton;
import java.time.Duration;

/** Removes the hidden endpoints of targets that no job has any more. */
@Singleton
final class UnusedTargets implements SchedulerDuty {
    private static final Duration BETWEEN_ROUNDS = Duration.ofMinutes(10);

    private final TargetStore store;

    UnusedTargets(TargetStore store) {
        this.store = store;
    }

    @Override
    public String name() {
        return "removing unused targets";
    }

    @Override
    public Uni<Duration> runOnce() {
        var beganAt = System.nanoTime();
        return store.removeUnused(RemovalPace.BATCH)
                .map(removed -> removed == RemovalPace.BATCH ? RemovalPace.restAfter(beganAt) : BETWEEN_ROUNDS);
    }
}
