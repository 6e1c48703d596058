package io.taskexec.store.wakeup;

import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Wakes workers that sleep until the next execution is due, and schedulers that sleep until the next tick, when the
 * store has just put an earlier one there, in this process and, by way of {@link Wakeups}, in others. Only a shortcut:
 * polling finds the same without it.
 */
@Singleton
public final class DueSignal {
    /**
     * What becomes due so many milliseconds from now or later is found by polling, whose interval is at most as long.
     */
    public static final long HORIZON_MS = 5_000;

    /** The same. */
    public static final Duration HORIZON = Duration.ofMillis(HORIZON_MS);

    /** While other processes tell of what is due, looking without being told is only for what they could not tell. */
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(4);

    private final List<Runnable> sleepers = new CopyOnWriteArrayList<>();
    private final List<Runnable> tickSleepers = new CopyOnWriteArrayList<>();
    private final List<Consumer<Work>> carriers = new CopyOnWriteArrayList<>();
    private final AtomicLong count = new AtomicLong();
    private volatile boolean hearsOthers;

    /** The kinds of work that may be due. */
    enum Work {
        EXECUTION,
        TICK
    }

    /** Calls {@code sleeper} when an execution may be due; it must not block. */
    public void onSignal(Runnable sleeper) {
        sleepers.add(sleeper);
    }

    /** Calls {@code sleeper} when a tick of a schedule may be due; it must not block. */
    public void onTick(Runnable sleeper) {
        tickSleepers.add(sleeper);
    }

    /**
     * How long to sleep at most before the next look: longer than {@code configured} while signals of other processes
     * arrive here.
     */
    public Duration longestSleep(Duration configured) {
        return hearsOthers && configured.compareTo(BETWEEN_LOOKS) < 0 ? BETWEEN_LOOKS : configured;
    }

    /** Whether the signals of other processes arrive here. */
    public boolean hearsOthers() {
        return hearsOthers;
    }

    void hearsOthers(boolean hears) {
        hearsOthers = hears;
    }

    /** Calls {@code carrier} at every signal of this process. */
    void onRaise(Consumer<Work> carrier) {
        carriers.add(carrier);
    }

    /** An execution is due, or will be soon. */
    public void raise() {
        heard();
        carriers.forEach(carrier -> carrier.accept(Work.EXECUTION));
    }

    /** A schedule may have a tick soon. */
    public void raiseTick() {
        heardTick();
        carriers.forEach(carrier -> carrier.accept(Work.TICK));
    }

    /** Returns how many signals have come: when it grows during a look, that may have missed something. */
    public long count() {
        return count.get();
    }

    /** A signal of another process, or one that concerns this one alone. */
    public void heard() {
        count.incrementAndGet();
        sleepers.forEach(Runnable::run);
    }

    /** The same of a tick. */
    public void heardTick() {
        tickSleepers.forEach(Runnable::run);
    }
}
