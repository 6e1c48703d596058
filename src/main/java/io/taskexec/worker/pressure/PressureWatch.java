package io.taskexec.worker.pressure;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.taskexec.store.pressure.PressureStore;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.HashMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jboss.logging.Logger;

/**
 * Looks at the pressure, and exchanges it with the database beside that: neither waits for the other, so that pressure
 * is noticed while the database is slow.
 */
@Singleton
public final class PressureWatch {
    private static final Logger LOG = Logger.getLogger(PressureWatch.class);
    private static final Duration BETWEEN_REPORTS = Duration.ofSeconds(5);

    private final Pressure pressure;
    private final PressureStore store;
    private final DatabasePressure database;
    private final PressureMetrics metrics;
    private final AtomicBoolean asks = new AtomicBoolean();
    private final AtomicBoolean reports = new AtomicBoolean();
    private long reportedAt = System.nanoTime() - BETWEEN_REPORTS.toNanos();
    private int looks;
    private int reported = PressurePolicy.ALL;

    PressureWatch(Pressure pressure, PressureStore store, DatabasePressure database, PressureMetrics metrics) {
        this.pressure = pressure;
        this.store = store;
        this.database = database;
        this.metrics = metrics;
    }

    /** Signals are read with every second look: they come from outside, where nothing happens so fast. */
    private void maybeAsk() {
        if (looks++ % 2 == 0) {
            ask();
        }
    }

    /** Looks once; returns whether more may start than before. Never called twice at the same time. */
    public Uni<Boolean> look(UUID workerId) {
        maybeAsk();
        return Uni.createFrom()
                .item(pressure::look)
                // Sources may read files.
                .runSubscriptionOn(Infrastructure.getDefaultWorkerPool())
                .invoke(metrics::show)
                .invoke(() -> report(workerId));
    }

    private void ask() {
        once(asks, "signals of pressure could not be read", () -> {
            database.asked();
            return store.signals()
                    .invoke(pressure::signals)
                    .onTermination()
                    .invoke(database::answered)
                    .replaceWithVoid();
        });
    }

    private void report(UUID workerId) {
        var now = System.nanoTime();
        if (now - reportedAt < BETWEEN_REPORTS.toNanos() && reported == pressure.leastUrgent()) {
            return;
        }
        once(reports, "the pressure could not be told", () -> {
            reportedAt = now;
            reported = pressure.leastUrgent();
            var values = new HashMap<String, Double>();
            pressure.measured().forEach((source, value) -> values.put(source, Math.round(value * 100) / 100.0));
            return store.report(workerId, values);
        });
    }

    /** Begins what nothing waits for, unless it is still under way. */
    private static void once(AtomicBoolean underWay, String otherwise, Supplier<Uni<Void>> work) {
        if (underWay.compareAndSet(false, true)) {
            work.get()
                    .onTermination()
                    .invoke(() -> underWay.set(false))
                    .subscribe()
                    .with(_ -> {}, failure -> LOG.debugf("%s: %s", otherwise, failure));
        }
    }
}
