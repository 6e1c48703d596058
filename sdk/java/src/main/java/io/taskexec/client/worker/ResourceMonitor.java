package io.taskexec.client.worker;

import java.lang.System.Logger.Level;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Averages of what the machine does, in which a moment counts for about two seconds (EWMA). */
final class ResourceMonitor extends Loop {
    private static final System.Logger LOG = System.getLogger(ResourceMonitor.class.getName());
    private static final double WINDOW_NS = 2e9;
    private static final long STEP_MS = 250;

    private final ResourceReader reader;
    private final LongSupplier nanoTime;
    private ResourceReader.@Nullable Reading last;
    private long lastAt;
    private boolean isFirst = true;
    private volatile Rates rates = Rates.NOT_MEASURED;

    ResourceMonitor(ResourceReader reader, LongSupplier nanoTime) {
        super("taskexec-resources");
        this.reader = reader;
        this.nanoTime = nanoTime;
    }

    /**
     * Averages.
     *
     * @param cpu 0 to 1
     * @param diskRead bytes a second, as all below; -1 when it is not known
     */
    record Rates(double cpu, double diskRead, double diskWritten, double received, double sent) {
        /** Before anything was measured, tasks begin one after the other. */
        static final Rates NOT_MEASURED = new Rates(0, 0, 0, 0, 0);
    }

    Rates rates() {
        return rates;
    }

    @Override
    void runOnce() throws InterruptedException {
        sample();
        Thread.sleep(STEP_MS);
    }

    /** Takes one more reading. */
    void sample() {
        var now = read();
        var at = nanoTime.getAsLong();
        var before = last;
        if (before != null && at > lastAt) {
            var elapsed = at - lastAt;
            var old = rates;
            var weight = isFirst ? 1 : 1 - Math.exp(-elapsed / WINDOW_NS);
            isFirst = false;
            rates = new Rates(
                    old.cpu() + weight * (now.cpu() - old.cpu()),
                    average(old.diskRead(), rate(before, now, elapsed, ResourceReader.Reading::diskRead), weight),
                    average(old.diskWritten(), rate(before, now, elapsed, ResourceReader.Reading::diskWritten), weight),
                    average(old.received(), rate(before, now, elapsed, ResourceReader.Reading::received), weight),
                    average(old.sent(), rate(before, now, elapsed, ResourceReader.Reading::sent), weight));
        }
        last = now;
        lastAt = at;
    }

    private ResourceReader.Reading read() {
        try {
            return reader.read();
        } catch (RuntimeException e) {
            LOG.log(Level.DEBUG, "The resources cannot be read.", e);
            return new ResourceReader.Reading(0, -1, -1, -1, -1);
        }
    }

    private static double rate(
            ResourceReader.Reading before,
            ResourceReader.Reading now,
            long elapsed,
            ToLongFunction<ResourceReader.Reading> counter) {
        var from = counter.applyAsLong(before);
        var to = counter.applyAsLong(now);
        // A device that was removed takes its count away.
        return from < 0 || to < 0 ? -1 : Math.max(0, to - from) * 1e9 / elapsed;
    }

    private static double average(double old, double rate, double weight) {
        return old < 0 || rate < 0 ? rate : old + weight * (rate - old);
    }
}
