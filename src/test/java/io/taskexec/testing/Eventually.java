package io.taskexec.testing;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Waits for something that another process does, by looking again and again until a bound of the {@link HostClock}. */
public final class Eventually {
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(25);

    private Eventually() {}

    /**
     * Looks until {@code wanted} accepts what it sees, and gives that.
     *
     * @throws AssertionError with what was seen last, when that takes longer than {@code bound}
     */
    public static <T> T await(String what, Duration bound, Supplier<T> look, Predicate<T> wanted)
            throws InterruptedException {
        var begin = HostClock.nanos();
        while (true) {
            var seen = look.get();
            if (wanted.test(seen)) {
                return seen;
            }
            if (HostClock.since(begin).compareTo(bound) >= 0) {
                throw new AssertionError("Not within %s: %s; last seen: %s".formatted(bound, what, seen));
            }
            Thread.sleep(BETWEEN_LOOKS);
        }
    }

    /** Looks until {@code condition} holds. */
    public static void await(String what, Duration bound, BooleanSupplier condition) throws InterruptedException {
        var _ = await(what, bound, condition::getAsBoolean, Boolean::booleanValue);
    }
}
