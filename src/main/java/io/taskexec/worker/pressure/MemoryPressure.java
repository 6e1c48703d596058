package io.taskexec.worker.pressure;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Tells how near the memory is to its end: the heap by what a collection leaves, and the container by what it cannot
 * give up. What is used between collections says nothing, since garbage fills any heap.
 */
@Singleton
final class MemoryPressure implements PressureSource {
    /** A heap that has not been collected for so long is not short. */
    static final Duration QUIET = Duration.ofMinutes(1);

    /** A process whose heap is sized for its container comes near its limit without harm. */
    private static final double CONTAINER_FROM = 0.9;

    private final double heapFrom;
    private final LongSupplier clock;
    private final Supplier<Memory> memory;
    private long collections;
    private long collectedAt;

    /**
     * Readings of the memory.
     *
     * @param collections how often the heap has been collected
     * @param heap the part of the heap that the last collection left
     * @param container the part of the container's memory that is in use; 0 where it has no limit
     */
    record Memory(long collections, double heap, double container) {}

    @Inject
    MemoryPressure(PressureConfig config, MemoryReadings readings) {
        this(config.memoryPercent() / 100.0, System::nanoTime, readings);
    }

    MemoryPressure(double heapFrom, LongSupplier clock, Supplier<Memory> memory) {
        this.heapFrom = heapFrom;
        this.clock = clock;
        this.memory = memory;
        this.collectedAt = clock.getAsLong();
    }

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public double read() {
        var now = memory.get();
        var time = clock.getAsLong();
        if (now.collections() != collections) {
            collections = now.collections();
            collectedAt = time;
        }
        var heap = time - collectedAt > QUIET.toNanos() ? 0 : beyond(heapFrom, now.heap());
        return Math.max(heap, beyond(CONTAINER_FROM, now.container()));
    }

    /** From 0 at {@code from} to 1 at the end. */
    private static double beyond(double from, double part) {
        return Math.clamp((part - from) / (1 - from), 0, 1);
    }
}
