package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.function.Supplier;

/** Tells what a signal brings, which a busy machine may delay once, from what is found by a look, late each time. */
final class AtOnce {
    /** Less than the 4 s between the looks of a request that waits, which begins with one. */
    static final Duration BOUND = Duration.ofSeconds(2);

    private static final int TRIES = 3;

    private AtOnce() {}

    /**
     * Fails when all tries of a scene are late.
     *
     * @param scene gives how long its worker waited
     */
    static void check(Supplier<Duration> scene) {
        var waits = new ArrayList<Duration>();
        do {
            waits.add(scene.get());
        } while (waits.getLast().compareTo(BOUND) >= 0 && waits.size() < TRIES);
        assertThat(waits.getLast()).as("the last of %s", waits).isLessThan(BOUND);
    }
}
