package io.taskexec.scheduler;

import io.smallrye.mutiny.Uni;
import io.taskexec.loop.Duty;
import io.taskexec.model.TickId;
import io.taskexec.model.TickOutcome;
import io.taskexec.store.TickStore;
import io.taskexec.store.TickStore.Buffered;
import io.taskexec.store.TickStore.Decision;
import java.time.Duration;
import java.util.List;

/** Lets ticks that waited for the executions before them fire once these have ended. */
final class BufferedTicks implements Duty {
    private static final int BATCH = 500;
    private static final Duration WHILE_ANY_WAIT = Duration.ofMillis(100);

    /** Whoever makes a tick wait wakes this duty up; the interval is for ticks left behind by another process. */
    private static final Duration WHILE_NONE_WAIT = Duration.ofSeconds(10);

    private final TickStore store;

    BufferedTicks(TickStore store) {
        this.store = store;
    }

    @Override
    public Uni<Duration> runOnce() {
        return store.freeBuffered(BATCH)
                .chain(this::release)
                .chain(store::isBuffering)
                .map(any -> any ? WHILE_ANY_WAIT : WHILE_NONE_WAIT);
    }

    private Uni<Integer> release(List<Buffered> free) {
        return free.isEmpty()
                ? Uni.createFrom().item(0)
                : store.release(free.stream().map(BufferedTicks::fired).toList());
    }

    private static Decision fired(Buffered tick) {
        return new Decision(
                tick.jobId(), tick.tick(), TickOutcome.FIRED, TickId.of(tick.jobId(), tick.tick()), Duration.ZERO);
    }
}
