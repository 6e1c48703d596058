package io.taskexec.observe.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheus.PrometheusConfig;
import io.micrometer.prometheus.PrometheusMeterRegistry;
import io.taskexec.model.Switch;
import java.time.Duration;
import org.junit.jupiter.api.Test;

// The registry that Quarkus brings is the one that Micrometer would replace.
@SuppressWarnings("deprecation")
class MetersTest {
    private record Off() implements MetricsConfig {
        @Override
        public Switch metricsEnabled() {
            return Switch.FALSE;
        }
    }

    @Test
    void namesEndWithTheirUnits() {
        var registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        var meters = Meters.of(registry);
        meters.counter("taskexec.things", "Things", "outcome", "good").increment(2);
        meters.timer("taskexec.thing.duration", "Duration of things").record(Duration.ofMillis(20));
        meters.sizes("taskexec.thing.batch.size", "Things at once").record(3);

        assertThat(registry.scrape())
                .contains("taskexec_things_total{outcome=\"good\",} 2.0")
                .contains("taskexec_thing_duration_seconds_bucket{le=\"0.01\",} 0.0")
                .contains("taskexec_thing_duration_seconds_bucket{le=\"0.025\",} 1.0")
                .contains("taskexec_thing_duration_seconds_bucket{le=\"300.0\",} 1.0")
                .contains("taskexec_thing_duration_seconds_sum 0.02")
                .contains("taskexec_thing_batch_size_bucket{le=\"2.0\",} 0.0")
                .contains("taskexec_thing_batch_size_bucket{le=\"5.0\",} 1.0");
    }

    @Test
    void aHistogramHasFewLines() {
        var registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        var _ = Meters.of(registry).timer("taskexec.thing.duration", "Duration of things");

        assertThat(registry.scrape().lines()).hasSizeLessThan(25);
    }

    @Test
    void switchedOffNothingIsMeasuredOrShown() {
        var registry = new SimpleMeterRegistry();
        var meters = new Meters(registry, new Off());
        meters.counter("taskexec.things", "Things").increment();
        meters.timer("taskexec.thing.duration", "Duration of things").record(Duration.ofMillis(20));

        assertThat(meters.areOn()).isFalse();
        assertThat(registry.getMeters()).isEmpty();
    }
}
