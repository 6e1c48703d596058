package io.taskexec.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The monotonic clock without the time in which the host of a virtual machine lent its processors to others ("steal" in
 * proc(5)): how long something took by it says more of the program, and less of its neighbours.
 */
public final class HostClock {
    private static final Path STAT = Path.of("/proc/stat");
    private static final int STEAL = 8;
    private static final Duration TICK = Duration.ofMillis(10);

    private HostClock() {}

    /** Nanoseconds from an arbitrary moment. */
    public static long nanos() {
        return System.nanoTime() - stolen().toNanos();
    }

    /** The time that has passed since a moment of this clock. */
    public static Duration since(long nanos) {
        return Duration.ofNanos(nanos() - nanos);
    }

    /** The steal time of a processor since the start of the machine, on average; zero where it is not reported. */
    public static Duration stolen() {
        if (!Files.exists(STAT)) {
            return Duration.ZERO;
        }
        try (var lines = Files.newBufferedReader(STAT)) {
            var all = lines.readLine().split(" +", -1);
            return TICK.multipliedBy(Long.parseLong(all[STEAL]))
                    .dividedBy(Runtime.getRuntime().availableProcessors());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
