package io.taskexec.scheduler;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.execution.ExpiryStore;
import jakarta.inject.Singleton;
import java.time.Duration;

/**
 * Ends executions that have expired and that no worker claims: in a paused queue, in the line of a flow key, held back
 * by pressure, or where no worker runs.
 */
@Singleton
final class ExpiredExecutions implements SchedulerDuty {
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    /** An execution that has expired and still runs must not be looked at without a pause. */
    private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(1);

    private static final int BATCH = 500;

    private final ExpiryStore store;

    ExpiredExecutions(ExpiryStore store) {
        this.store = store;
    }

    @Override
    public String name() {
        return "ending expired executions";
    }

    @Override
    public String progressName() {
        return "expiry";
    }

    @Override
    public ClockStep clockStep() {
        return ClockStep.TO_OTHER;
    }

    @Override
    public Uni<Duration> runOnce() {
        return store.untilNext().chain(next -> {
            if (next == null || next.compareTo(LONGEST_PAUSE) > 0) {
                return Uni.createFrom().item(LONGEST_PAUSE);
            }
            return next.isPositive()
                    ? Uni.createFrom().item(next)
                    : store.expire(BATCH).map(count -> count < BATCH ? SHORTEST_PAUSE : Duration.ZERO);
        });
    }
}
