package io.taskexec.forecast;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.forecast.StartLimit.Excess;
import io.taskexec.forecast.StartLimit.Kind;
import io.taskexec.store.forecast.StartLimits.Rate;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Compares counts with limits. */
class StartLimitTest {
    private static double[] minutes(double... counts) {
        return counts;
    }

    @Test
    void aRateAllowsWhatAMinuteAddsAndWhatQuietOnesHaveSaved() {
        var limit = StartLimit.of(new Rate(Duration.ofSeconds(6), 5));

        assertThat(limit.perMinute()).isEqualTo(10);
        assertThat(limit.excess(minutes(15, 10, 11, 0, 16, 3)))
                .containsExactly(new Excess(2, 11, 10), new Excess(4, 16, 15));
    }

    @Test
    void oneAnHourIsNoExcessOfOneAnHour() {
        var hourly = new double[24 * 60];
        for (var minute = 0; minute < hourly.length; minute += 60) {
            hourly[minute] = 1;
        }

        assertThat(StartLimit.of(new Rate(Duration.ofHours(1), 1)).excess(hourly))
                .isEmpty();
        Arrays.setAll(hourly, minute -> minute % 30 == 0 ? 1 : 0);
        assertThat(StartLimit.of(new Rate(Duration.ofHours(1), 1)).excess(hourly))
                .hasSize(24);
    }

    @Test
    void aCapAllowsWhatFitsIntoItsPlacesByTheMeanDuration() {
        // Two places, 30 s each: four a minute, and two more after a quiet minute.
        var limit = StartLimit.cap(Kind.MAX_CONCURRENCY, 2, 30_000.0);

        assertThat(limit.excess(minutes(6, 4, 5))).containsExactly(new Excess(2, 5, 4));
    }

    @Test
    void aCapAllowsAnythingWhileNoDurationIsKnown() {
        assertThat(StartLimit.cap(Kind.MAX_CONCURRENCY, 1, null).excess(minutes(1_000_000)))
                .isEmpty();
    }
}
