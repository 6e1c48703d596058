package io.taskexec.worker.pressure;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.taskexec.store.pressure.PressureStore;
import jakarta.inject.Singleton;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jboss.logging.Logger;

/**
 * Looks at the pressure, and asks the database for signals beside that: neither waits for the other, so that pressure
 * is noticed while the database is slow.
 */
@Singleton
public final class PressureWatch {
    private static final Logger LOG = Logger.getLogger(PressureWatch.class);

    /** So many looks later, signals are asked for again: when the pressure was low, and otherwise. */
    private static final int LOOKS_AT_REST = 4;

    private static final int LOOKS = 2;

    private final Pressure pressure;
    private final PressureStore store;
    private final DatabasePressure database;
    private final PressureMetrics metrics;
    private final AtomicBoolean asks = new AtomicBoolean();
    private int looks;

    PressureWatch(Pressure pressure, PressureStore store, DatabasePressure database, PressureMetrics metrics) {
        this.pressure = pressure;
        this.store = store;
        this.database = database;
        this.metrics = metrics;
    }

    /** Looks once; returns whether more may start than before. Never called twice at the same time. */
    public Uni<Boolean> look() {
        // They come from outside, where nothing happens so fast.
        if (looks++ % (pressure.isLow() ? LOOKS_AT_REST : LOOKS) == 0) {
            ask();
        }
        return Uni.createFrom()
                .item(pressure::look)
                // Sources may read files.
                .runSubscriptionOn(Infrastructure.getDefaultWorkerPool())
                .invoke(metrics::show);
    }

    private void ask() {
        if (asks.compareAndSet(false, true)) {
            database.asked();
            store.signals()
                    .onTermination()
                    .invoke(this::answered)
                    .subscribe()
                    .with(pressure::signals, e -> LOG.debugf("signals of pressure could not be read: %s", e));
        }
    }

    private void answered() {
        database.answered();
        asks.set(false);
    }
}
