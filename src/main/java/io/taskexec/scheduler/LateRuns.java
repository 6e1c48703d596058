package io.taskexec.scheduler;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.workflow.RunCancellation;
import jakarta.inject.Singleton;
import java.time.Duration;

/** Goes on with the cancellation of the jobs of workflows whose process died meanwhile. */
@Singleton
final class LateRuns implements SchedulerDuty {
    private static final Duration PAUSE = Duration.ofSeconds(10);

    private final RunCancellation cancellation;

    LateRuns(RunCancellation cancellation) {
        this.cancellation = cancellation;
    }

    @Override
    public String name() {
        return "cancelling the jobs of workflows";
    }

    @Override
    public String progressName() {
        return "workflows";
    }

    @Override
    public Uni<Duration> runOnce() {
        return cancellation.sweep().replaceWith(PAUSE);
    }
}
