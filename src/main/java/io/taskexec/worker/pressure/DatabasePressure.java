package io.taskexec.worker.pressure;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Tells how long the database takes to answer, by the query for signals that each worker makes once a second. */
@Singleton
final class DatabasePressure implements PressureSource {
    private final double highest;
    private final LongSupplier clock;
    private volatile long took;
    private volatile @Nullable Long askedAt;

    @Inject
    DatabasePressure(PressureConfig config) {
        this(config.database(), System::nanoTime);
    }

    DatabasePressure(Duration highest, LongSupplier clock) {
        this.highest = highest.toNanos();
        this.clock = clock;
    }

    /** The query has been sent. */
    void asked() {
        askedAt = clock.getAsLong();
    }

    /** It was answered, or failed. */
    void answered() {
        var since = askedAt;
        if (since != null) {
            took = clock.getAsLong() - since;
            askedAt = null;
        }
    }

    @Override
    public String name() {
        return "database";
    }

    @Override
    public double read() {
        var since = askedAt;
        return (since == null ? took : Math.max(took, clock.getAsLong() - since)) / highest;
    }
}
