package io.taskexec.model.activity;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LatenciesTest {
    private static Latencies of(Duration duration, long count) {
        return new Latencies(new TreeMap<>(Map.of(Latencies.bucket(duration.toNanos()), count)));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 7, 20, 100, 1_000, 30_000, 300_000, 15_000_000})
    void aPercentileIsUpToATenthTooHigh(long millis) {
        var percentile = of(Duration.ofMillis(millis), 3).percentileMs(0.5);

        assertThat(percentile).isBetween(millis * 0.999, millis * 1.106 + 0.2);
    }

    @Test
    void extremeTimesHaveABucketToo() {
        assertThat(Latencies.bucket(0)).isZero();
        assertThat(Latencies.bucket(-5)).isZero();
        assertThat(Latencies.bucket(Long.MAX_VALUE)).isEqualTo(Latencies.BUCKETS - 1);
    }

    @Test
    void nothingHasNoPercentile() {
        assertThat(Latencies.NONE.percentileMs(0.95)).isNull();
    }

    @Test
    void percentilesOfTwoProcessesAreThoseOfAllTheirCalls() {
        var both = of(Duration.ofMillis(10), 90).plus(of(Duration.ofMillis(1_000), 10));

        assertThat(both.percentileMs(0.5)).isBetween(10.0, 11.2);
        assertThat(both.percentileMs(0.9)).isBetween(10.0, 11.2);
        assertThat(both.percentileMs(0.95)).isBetween(1_000.0, 1_106.0);
    }

    @Test
    void aWorkersActivityIsReadBackAsItWasWritten() {
        var latencies = of(Duration.ofMillis(10), 90).plus(of(Duration.ofMillis(1_000), 10));
        var activity = new WorkerActivity(20, 3, 99, 7, List.of(new EndpointActivity("mail", 3, 100, 4, latencies)));

        assertThat(WorkerActivity.of(20, 3, activity.toJson())).isEqualTo(activity);
    }
}
