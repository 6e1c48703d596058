package io.taskexec.scheduler;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.PublicId;
import io.taskexec.model.job.TickId;
import io.taskexec.model.job.TickOutcome;
import io.taskexec.observe.log.LogFields;
import io.taskexec.store.job.BufferedTickStore;
import io.taskexec.store.job.BufferedTickStore.Buffered;
import io.taskexec.store.job.TickStore.Decision;
import io.taskexec.store.sql.Database;
import jakarta.inject.Singleton;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.List;
import org.jboss.logging.Logger;

/** Lets ticks that waited for the executions before them fire once these have ended. */
@Singleton
final class BufferedTicks implements SchedulerDuty {
    private static final Logger LOG = Logger.getLogger(BufferedTicks.class);
    private static final int BATCH = 500;
    private static final Duration WHILE_ANY_WAIT = Duration.ofMillis(100);

    /** A tick that has to wait wakes this duty up; the interval is for ticks of other processes. */
    private static final Duration WHILE_NONE_WAIT = Duration.ofSeconds(10);

    private final BufferedTickStore store;
    private final TickMetrics metrics;
    private volatile Runnable wake = () -> {};

    BufferedTicks(BufferedTickStore store, TickMetrics metrics) {
        this.store = store;
        this.metrics = metrics;
    }

    @Override
    public void onWake(Runnable wakes) {
        wake = wakes;
    }

    /** A tick has to wait for executions to end. */
    void wake() {
        wake.run();
    }

    @Override
    public String name() {
        return "firing ticks that had to wait";
    }

    @Override
    public String progressName() {
        return "buffered_ticks";
    }

    @Override
    public ClockStep clockStep() {
        return ClockStep.TO_OTHER;
    }

    @Override
    public Uni<Duration> runOnce() {
        return store.isBuffering()
                .chain(any -> any
                        ? store.freeBuffered(BATCH).chain(this::release).replaceWith(WHILE_ANY_WAIT)
                        : Uni.createFrom().item(WHILE_NONE_WAIT));
    }

    private Uni<Void> release(List<Buffered> free) {
        if (free.isEmpty()) {
            return Uni.createFrom().voidItem();
        }
        return Uni.createFrom()
                .deferred(() ->
                        store.release(free.stream().map(BufferedTicks::fired).toList()))
                .invoke(metrics::released)
                .replaceWithVoid()
                .onFailure(BufferedTicks::blamesTick)
                .recoverWithUni(failure -> free.size() == 1 ? setAside(free.getFirst(), failure) : releaseHalves(free));
    }

    /** One of them cannot be stored: each alone, so that it does not hold up the others. */
    private Uni<Void> releaseHalves(List<Buffered> free) {
        var half = free.size() / 2;
        return release(free.subList(0, half)).chain(() -> release(free.subList(half, free.size())));
    }

    private static boolean blamesTick(Throwable failure) {
        return Database.blamesData(failure)
                || failure instanceof DateTimeException
                || failure instanceof ArithmeticException;
    }

    private Uni<Void> setAside(Buffered tick, Throwable failure) {
        LogFields.ofJob(tick.jobId())
                .log(() -> LOG.errorf(
                        failure,
                        "the tick that waits of job %s cannot fire and its schedule is set aside",
                        PublicId.JOB.show(tick.jobId())));
        return store.setAside(tick, String.valueOf(failure.getMessage()));
    }

    private static Decision fired(Buffered tick) {
        return new Decision(
                tick.jobId(), tick.tick(), TickOutcome.FIRED, TickId.of(tick.jobId(), tick.tick()), Duration.ZERO);
    }
}
