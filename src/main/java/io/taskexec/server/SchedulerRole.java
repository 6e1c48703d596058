package io.taskexec.server;

import io.smallrye.mutiny.Uni;
import io.taskexec.config.Role;
import io.taskexec.kafka.EventPublishing;
import io.taskexec.scheduler.Scheduler;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.store.wakeup.DueSignal.Work;
import jakarta.inject.Singleton;
import java.time.Duration;

/** Starts and stops the scheduler role. */
@Singleton
final class SchedulerRole {
    /** A run that takes longer is cut off: what it has not committed is for another process, or for the next start. */
    private static final Duration LAST_RUNS = Duration.ofSeconds(10);

    private final Scheduler scheduler;
    private final EventPublishing eventPublishing;
    private final DueSignal dueSignal;
    private final RoleProgress progress;

    SchedulerRole(Scheduler scheduler, EventPublishing eventPublishing, DueSignal dueSignal, RoleProgress progress) {
        this.scheduler = scheduler;
        this.eventPublishing = eventPublishing;
        this.dueSignal = dueSignal;
        this.progress = progress;
    }

    void start() {
        progress.watch(Role.SCHEDULER, scheduler::progress);
        dueSignal.onSignal(Work.TICK, scheduler::wake);
        scheduler.start();
        eventPublishing.start();
    }

    Uni<Void> stop() {
        return scheduler
                .stop()
                .ifNoItem()
                .after(LAST_RUNS)
                .recoverWithUni(Uni.createFrom().voidItem());
    }

    /** Comes last, so that the events of the last executions and requests are published. */
    Uni<Void> stopPublishing() {
        return eventPublishing.stop();
    }
}
