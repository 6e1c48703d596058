package io.taskexec.scheduler;

import io.smallrye.mutiny.Uni;
import io.taskexec.loop.Loop;
import io.taskexec.loop.LoopTimer;
import io.taskexec.store.IdempotencyKeyStore;
import io.taskexec.store.RetentionStore;
import io.taskexec.store.ScheduleStore;
import io.taskexec.store.WorkerStore;
import jakarta.inject.Singleton;
import java.util.List;

/** The scheduler role: its loops. Any number of schedulers may run; none of them leads. */
@Singleton
public final class Scheduler {
    private final Loop ticking;
    private final List<Loop> loops;

    Scheduler(
            WorkerStore workers,
            RetentionStore retention,
            IdempotencyKeyStore keys,
            ScheduleStore schedules,
            SchedulerConfig config,
            LoopTimer timer) {
        ticking = new Loop("making executions of ticks", new Ticks(schedules, config), timer);
        loops = List.of(
                ticking,
                new Loop("freeing the work of dead workers", new DeadWorkers(workers, config), timer),
                new Loop("removing old history", new Retention(retention, config), timer),
                new Loop("removing expired idempotency keys", new ExpiredKeys(keys), timer));
    }

    /** Starts all loops. */
    public void start() {
        loops.forEach(Loop::start);
    }

    /** Something has become due earlier than before: looks at once. */
    public void wake() {
        ticking.wake();
    }

    /** Stops all loops; the result comes when what was under way has ended. */
    public Uni<Void> stop() {
        return Uni.join()
                .all(loops.stream().map(Loop::stop).toList())
                .andCollectFailures()
                .replaceWithVoid();
    }
}
