package io.taskexec.client;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for an event, with a bound. */
public final class Eventually {
    private static final Duration LONGEST = Duration.ofSeconds(20);

    private Eventually() {}

    public static void until(BooleanSupplier condition) {
        var end = System.nanoTime() + LONGEST.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("It has not happened within " + LONGEST + ".");
            }
            try {
                Thread.sleep(5);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
