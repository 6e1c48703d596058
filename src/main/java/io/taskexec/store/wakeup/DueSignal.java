package io.taskexec.store.wakeup;

import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
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

    /** Executions of any endpoint. */
    public static final Set<Work> EXECUTIONS = Set.of(Work.PUSHED, Work.PULLED);

    /** All that may be due. */
    public static final Set<Work> ANYTHING = Set.of(Work.values());

    private final Map<Work, List<Runnable>> sleepers = new EnumMap<>(Work.class);
    private final List<Consumer<Set<Work>>> carriers = new CopyOnWriteArrayList<>();
    private final AtomicLong pushed = new AtomicLong();
    private final AtomicLong lateCommits = new AtomicLong();
    private volatile boolean hearsOthers;

    /** The kinds of work that may be due. */
    public enum Work {
        /** Executions that workers of this program deliver. */
        PUSHED,
        /** Executions of WORKER endpoints. */
        PULLED,
        /** Ticks of schedules. */
        TICK
    }

    public DueSignal() {
        for (var work : Work.values()) {
            sleepers.put(work, new CopyOnWriteArrayList<>());
        }
    }

    /** Calls {@code sleeper} when such work may be due; it must not block. */
    public void onSignal(Work work, Runnable sleeper) {
        sleepers(work).add(sleeper);
    }

    private List<Runnable> sleepers(Work work) {
        return Objects.requireNonNull(sleepers.get(work));
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
    void onRaise(Consumer<Set<Work>> carrier) {
        carriers.add(carrier);
    }

    /** An execution of any endpoint is due, or will be soon. */
    public void raise() {
        raiseFor(EXECUTIONS);
    }

    /** A schedule may have a tick soon. */
    public void raiseTick() {
        raiseFor(Set.of(Work.TICK));
    }

    /** Such work is due, or will be soon. */
    public void raiseFor(Set<Work> works) {
        if (!works.isEmpty()) {
            heard(works);
            carriers.forEach(carrier -> carrier.accept(works));
        }
    }

    /**
     * Returns how many signals of executions to deliver have come: when it grows during a look, that may have missed
     * something.
     */
    public long pushed() {
        return pushed.get();
    }

    /**
     * Returns how many signals have come of what may have been due for a while when it was committed: by a function in
     * the database, within a transaction of its caller, or by a change of its lane.
     */
    public long lateCommits() {
        return lateCommits.get();
    }

    /** A signal of another process, or one that concerns this one alone. */
    public void heard(Set<Work> works) {
        if (works.equals(ANYTHING)) {
            lateCommits.incrementAndGet();
        }
        if (works.contains(Work.PUSHED)) {
            pushed.incrementAndGet();
        }
        works.forEach(work -> sleepers(work).forEach(Runnable::run));
    }
}
