package io.taskexec.loop;

import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The one thread that starts the runs of all loops. Duties never block it, so that none delays another. */
@Singleton
public final class LoopTimer {
    private final ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().name("loops").daemon().factory());

    public LoopTimer() {
        // A loop that is woken often cancels many waits, which would otherwise stay until their time has come.
        thread.setRemoveOnCancelPolicy(true);
    }

    Future<?> schedule(Runnable run, Duration delay) {
        return thread.schedule(run, delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Ends the thread; loops that are still started run no more. */
    @PreDestroy
    public void close() {
        var _ = thread.shutdownNow();
    }
}
