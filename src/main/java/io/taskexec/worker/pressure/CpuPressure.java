package io.taskexec.worker.pressure;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Tells which part of its processors this process uses. The time of the process comes from {@link ProcessHandle}, which
 * a native executable has too, unlike the beans of {@code com.sun.management}.
 */
@Singleton
final class CpuPressure implements PressureSource {
    private final double most;
    private final LongSupplier clock;
    private final LongSupplier used;
    private long askedAt;
    private long usedBefore;

    @Inject
    CpuPressure(PressureConfig config) {
        this(config.cpuPercent() / 100.0, System::nanoTime, CpuPressure::usedByThisProcess);
    }

    /** @param used nanoseconds of all processors that this process has had */
    CpuPressure(double most, LongSupplier clock, LongSupplier used) {
        this.most = most;
        this.clock = clock;
        this.used = used;
        this.askedAt = clock.getAsLong();
        this.usedBefore = used.getAsLong();
    }

    private static long usedByThisProcess() {
        return ProcessHandle.current()
                .info()
                .totalCpuDuration()
                .orElse(Duration.ZERO)
                .toNanos();
    }

    @Override
    public String name() {
        return "cpu";
    }

    @Override
    public double read() {
        var now = clock.getAsLong();
        var usedNow = used.getAsLong();
        var could = (double) (now - askedAt) * Runtime.getRuntime().availableProcessors();
        var part = could > 0 ? Math.min(1, (usedNow - usedBefore) / could) : 0;
        askedAt = now;
        usedBefore = usedNow;
        return part * most;
    }
}
