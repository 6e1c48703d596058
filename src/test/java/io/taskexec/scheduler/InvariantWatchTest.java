package io.taskexec.scheduler;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.taskexec.check.Probe;
import io.taskexec.store.execution.TableSizeStore;
import io.taskexec.store.invariant.InvariantStore;
import io.taskexec.store.region.HeartbeatStore;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class InvariantWatchTest {
    @RegisterExtension
    private static final ScheduleBed bed = new ScheduleBed();

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final InvariantWatch watch = new InvariantWatch(
            new Probe(new InvariantStore(bed.db.database(), () -> 24), bed.ledger),
            new HeartbeatStore(bed.db.database()),
            registry);

    private double count(String invariant) {
        return registry.get("taskexec.invariant.violations")
                .tag("invariant", invariant)
                .gauge()
                .value();
    }

    @Test
    void whatIsFoundIsAMetricUntilItIsGone() {
        bed.rows.live().insert();
        assertThat(await(watch.runOnce())).isEqualTo(Duration.ofMinutes(1));
        assertThat(count("job_without_execution")).isZero();
        assertThat(count("tick_gap")).isZero();

        bed.db.execute("DELETE FROM exec_live");
        var _ = await(watch.runOnce());
        assertThat(count("job_without_execution")).isEqualTo(1);

        bed.db.execute("DELETE FROM jobs");
        var _ = await(watch.runOnce());
        assertThat(count("job_without_execution")).isZero();
        assertThat(registry.get("taskexec.invariant.last.look.timestamp")
                        .gauge()
                        .value())
                .isPositive();
    }

    @Test
    void aSchedulerSaysThatItLivesOnlyAfterItsFirstMinute() {
        bed.db.execute("DELETE FROM region_heartbeats");

        var _ = await(watch.runOnce());
        assertThat(bed.db.number("SELECT count(*) FROM region_heartbeats")).isZero();

        var _ = await(watch.runOnce());
        assertThat(bed.db.number("SELECT count(*) FROM region_heartbeats WHERE component = 'scheduler-settled'"))
                .isEqualTo(1);
    }

    @Test
    void theSizesOfTablesAreThoseThatStatisticsKnow() {
        for (var i = 0; i < 3; i++) {
            bed.rows.live().insert();
        }
        bed.db.execute("ANALYZE jobs");

        assertThat(await(new HistorySizes(new TableSizeStore(bed.db.database()), registry).runOnce()))
                .isEqualTo(Duration.ofMinutes(1));

        assertThat(registry.get("taskexec.history.rows")
                        .tag("table", "jobs")
                        .gauge()
                        .value())
                .isEqualTo(3);
    }
}
