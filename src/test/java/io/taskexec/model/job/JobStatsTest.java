package io.taskexec.model.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.taskexec.model.job.JobStats.Health;
import io.taskexec.model.job.JobStats.Slot;
import java.util.List;
import java.util.stream.LongStream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JobStatsTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0, IDLE",
        "1, 0, HEALTHY",
        "91, 9, HEALTHY",
        "90, 10, DEGRADED",
        "51, 49, DEGRADED",
        "50, 50, FAILING",
        "0, 1, FAILING"
    })
    void healthFollowsTheShareOfFailures(long succeeded, long failed, Health health) {
        var stats = new JobStats(List.of(new Slot("SUCCESS", 10, succeeded, 0), new Slot("FAILED", 10, failed, 0)));

        assertThat(stats.health()).isEqualTo(health);
        assertThat(stats.total()).isEqualTo(succeeded + failed);
    }

    @Test
    void whatWasCancelledSaysNothingAboutHealth() {
        assertThat(new JobStats(List.of(new Slot("EXPIRED", 0, 5, 0))).averageMs())
                .isNull();
        assertThat(new JobStats(List.of(new Slot("CANCELLED", 10, 5, 100))).health())
                .isEqualTo(Health.IDLE);
    }

    @Test
    void percentilesAreWithinATenthOfTheTrueOnes() {
        var slots = LongStream.rangeClosed(1, 1000)
                .mapToObj(ms -> new Slot("SUCCESS", (int) Math.ceil(Math.log(ms + 1.0) * 10), 1, ms))
                .toList();
        var stats = new JobStats(slots);

        assertThat(stats.percentileMs(0.5)).isCloseTo(500L, Percentage.withPercentage(11));
        assertThat(stats.percentileMs(0.99)).isCloseTo(990L, Percentage.withPercentage(11));
        assertThat(stats.averageMs()).isCloseTo(500L, within(1L));
    }

    @Test
    void nothingHasNoDurations() {
        var stats = new JobStats(List.of());

        assertThat(stats.percentileMs(0.5)).isNull();
        assertThat(stats.averageMs()).isNull();
    }
}
