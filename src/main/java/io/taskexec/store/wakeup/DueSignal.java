package io.taskexec.store.wakeup;

import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Wakes workers that sleep until the next execution is due when the store has just put an earlier one there, in this
 * process and, by way of {@link Wakeups}, in others. Only a shortcut: polling finds the same executions without it.
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
    private final List<Runnable> carriers = new CopyOnWriteArrayList<>();
    private volatile boolean hearsOthers;

    /** Calls {@code sleeper} at every signal; it must not block. */
    public void onSignal(Runnable sleeper) {
        sleepers.add(sleeper);
    }

    /**
     * How long to sleep at most before the next look: longer than {@code configured} while signals of other processes
     * arrive here.
     */
    public Duration longestSleep(Duration configured) {
        return hearsOthers && configured.compareTo(BETWEEN_LOOKS) < 0 ? BETWEEN_LOOKS : configured;
    }

    boolean hearsOthers() {
        return hearsOthers;
    }

    void hearsOthers(boolean hears) {
        hearsOthers = hears;
    }

    /** Calls {@code carrier} at every signal of this process. */
    void onRaise(Runnable carrier) {
        carriers.add(carrier);
    }

    public void raise() {
        heard();
        carriers.forEach(Runnable::run);
    }

    /** A signal of another process. */
    public void heard() {
        sleepers.forEach(Runnable::run);
    }
}
