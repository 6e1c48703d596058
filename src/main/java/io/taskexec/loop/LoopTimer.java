package io.taskexec.loop;

import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** The one thread that starts the runs of all loops. Duties never block it, so that none delays another. */
@Singleton
public final class LoopTimer {
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("loops").daemon().factory());

    Future<?> schedule(Runnable run, Duration delay) {
        return thread.schedule(run, delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Ends the thread; loops that are still started run no more. */
    @PreDestroy
    public void close() {
        var _ = thread.shutdownNow();
    }
}
