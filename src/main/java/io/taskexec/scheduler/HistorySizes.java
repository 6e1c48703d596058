package io.taskexec.scheduler;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.smallrye.mutiny.Uni;
import io.taskexec.store.execution.TableSizeStore;
import io.taskexec.store.execution.TableSizeStore.Size;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Tells in metrics how big the tables are that grow. */
@Singleton
final class HistorySizes implements SchedulerDuty {
    private static final Duration INTERVAL = Duration.ofMinutes(1);

    private final TableSizeStore store;
    private final MeterRegistry registry;
    private final Map<String, AtomicLong> sizes = new ConcurrentHashMap<>();

    HistorySizes(TableSizeStore store, MeterRegistry registry) {
        this.store = store;
        this.registry = registry;
    }

    @Override
    public String name() {
        return "looking at the sizes of tables";
    }

    @Override
    public Uni<Duration> runOnce() {
        return store.sizes().invoke(found -> found.forEach(this::publish)).replaceWith(INTERVAL);
    }

    private void publish(Size size) {
        sizes.computeIfAbsent(size.table(), this::gauge).set(size.rows());
    }

    private AtomicLong gauge(String table) {
        var rows = new AtomicLong();
        Gauge.builder("taskexec.history.rows", rows, AtomicLong::get)
                .description("About how many rows a table has, by the statistics of the database")
                .tag("table", table)
                .strongReference(true)
                .register(registry);
        return rows;
    }
}
