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
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);
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
    public Uni<Duration> runOnce() {
        return store.expire(BATCH).map(count -> count < BATCH ? BETWEEN_LOOKS : Duration.ZERO);
    }
}
