package io.taskexec.worker.pressure;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.taskexec.observe.metrics.Meters;
import io.taskexec.store.pressure.PressureStore;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Looks with the real sources, on a database with signals. */
@StoreTest
class PressureWatchTest {
    private static final Duration BOUND = Duration.ofSeconds(20);

    @Inject
    private static TestDb db;

    private final DatabasePressure database = new DatabasePressure(TestPressure.CONFIG);
    private final Pressure pressure = new Pressure(
            List.of(
                    database,
                    new CpuPressure(TestPressure.CONFIG),
                    new MemoryPressure(TestPressure.CONFIG, new MemoryReadings()),
                    new EventLoopPressure(TestPressure.CONFIG, TestDb.vertx())),
            TestPressure.CONFIG);
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private PressureStore store;
    private PressureWatch watch;

    @BeforeEach
    void open() {
        store = new PressureStore(db.database());
        watch = new PressureWatch(pressure, store, database, new PressureMetrics(Meters.of(registry), pressure));
    }

    @Test
    void aSignalIsHeardAndSourcesAreMeasured() throws InterruptedException {
        assertThat(await(store.set("billing", 1, Duration.ofMinutes(1)))).isTrue();

        Eventually.await("only the highest priority starts", BOUND, () -> {
            var _ = await(watch.look());
            return pressure.leastUrgent() == 0;
        });

        assertThat(registry.get("taskexec.pressure")
                        .tag("source", "billing")
                        .gauge()
                        .value())
                .isEqualTo(1);
        assertThat(pressure.measured()).containsOnlyKeys("cpu", "database", "event-loop", "memory");
        assertThat(await(store.clear("billing"))).isTrue();
        Eventually.await("all start again", BOUND, () -> {
            var _ = await(watch.look());
            return pressure.leastUrgent() == PressurePolicy.ALL;
        });
    }
}
