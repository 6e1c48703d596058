package io.taskexec.scheduler;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.flow.FlowReleases;
import jakarta.inject.Singleton;
import java.time.Duration;

/** Removes the counters of flow keys that are not in use, a small batch at a time. */
@Singleton
final class IdleFlowKeys implements SchedulerDuty {
    private final FlowReleases store;

    IdleFlowKeys(FlowReleases store) {
        this.store = store;
    }

    @Override
    public String name() {
        return "removing idle flow keys";
    }

    @Override
    public Uni<Duration> runOnce() {
        var beganAt = System.nanoTime();
        return store.deleteIdle(RemovalPace.BATCH)
                .map(count -> count == RemovalPace.BATCH ? RemovalPace.restAfter(beganAt) : RemovalPace.BETWEEN_ROUNDS);
    }
}
