package io.taskexec.store;

import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Tells whoever sleeps until the next execution is due that the store has just put an earlier one there. Only a shortcut
 * within the process: polling finds the same executions without it.
 */
@Singleton
public final class DueSignal {
    /** What becomes due later than this is found by polling in any case, whose interval is at most as long. */
    public static final Duration HORIZON = Duration.ofSeconds(5);

    private final List<Runnable> sleepers = new CopyOnWriteArrayList<>();

    /** Calls {@code sleeper} at every signal; it must not block. */
    public void onSignal(Runnable sleeper) {
        sleepers.add(sleeper);
    }

    void raise() {
        sleepers.forEach(Runnable::run);
    }
}
