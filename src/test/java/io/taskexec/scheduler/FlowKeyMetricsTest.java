package io.taskexec.scheduler;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.taskexec.store.flow.FlowUsageStore;
import io.taskexec.store.flow.FlowUsageStore.OfEndpoint;
import io.taskexec.store.flow.FlowUsageStore.Usage;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

@StoreTest
class FlowKeyMetricsTest {
    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final FlowKeyMetrics metrics = new FlowKeyMetrics(new FlowUsageStore(db.database()), registry);

    private double value(String metric, String endpoint) {
        return registry.get(metric).tag("endpoint", endpoint).gauge().value();
    }

    @Test
    void linesAreShownWhileThereAreAny() {
        rows.endpoint("mail").insert();
        rows.live()
                .endpoint("mail")
                .dueSince(Duration.ofSeconds(70))
                .parked("a")
                .insert();
        db.execute("UPDATE flow_limits SET lined = true, open = 3");

        assertThat(await(metrics.runOnce())).isPositive();

        assertThat(value("taskexec.flow.lines", "mail")).isEqualTo(1);
        assertThat(value("taskexec.flow.places", "mail")).isEqualTo(3);
        assertThat(value("taskexec.flow.line.age", "mail")).isBetween(70.0, 300.0);
        assertThat(registry.find("taskexec.flow.tokens").gauges()).isEmpty();

        db.execute("DELETE FROM flow_limits");
        assertThat(await(metrics.runOnce())).isPositive();

        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void valuesChangeAndTokensGoAwayByThemselves() {
        metrics.publish(new Usage(List.of(new OfEndpoint("mail", 1, 0, 0, 0, 5L, 7)), 1, 0, false));
        assertThat(value("taskexec.flow.tokens", "mail")).isEqualTo(5);

        metrics.publish(new Usage(List.of(new OfEndpoint("mail", 2, 1, 9, 3, null, null)), 2, 1, false));

        assertThat(value("taskexec.flow.places", "mail")).isEqualTo(2);
        assertThat(value("taskexec.flow.line.age", "mail")).isEqualTo(3);
        assertThat(registry.find("taskexec.flow.tokens").gauges()).isEmpty();
    }

    @Test
    void endpointsThatAreNotToldOneByOneAreToldTogether() {
        metrics.publish(new Usage(List.of(new OfEndpoint("mail", 1, 1, 9, 3, null, null)), 11, 4, false));

        assertThat(value("taskexec.flow.places", "other")).isEqualTo(10);
        assertThat(value("taskexec.flow.lines", "other")).isEqualTo(3);
        assertThat(registry.get("taskexec.flow.line.age").gauges())
                .extracting(Gauge::getId)
                .allMatch(id -> "mail".equals(id.getTag("endpoint")));
    }
}
