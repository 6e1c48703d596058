package io.taskexec.model.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.endpoint.RetryPolicy;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class BackoffTest {
    private static long delay(RetryPolicy.Backoff backoff, long initialMs, long maxMs, int failures, double jitter) {
        var policy = new RetryPolicy(100, backoff, Duration.ofMillis(initialMs), Duration.ofMillis(maxMs));
        return Backoff.delay(policy, failures, jitter).toMillis();
    }

    @ParameterizedTest
    @CsvSource({
        "FIXED, 1, 100",
        "FIXED, 2, 100",
        "FIXED, 50, 100",
        "LINEAR, 1, 100",
        "LINEAR, 2, 200",
        "LINEAR, 7, 700",
        "LINEAR, 11, 1000",
        "EXPONENTIAL, 1, 100",
        "EXPONENTIAL, 2, 200",
        "EXPONENTIAL, 3, 400",
        "EXPONENTIAL, 4, 800",
        "EXPONENTIAL, 5, 1000",
        "EXPONENTIAL, 64, 1000",
        "EXPONENTIAL, 2147483647, 1000"
    })
    void itGrowsAsThePolicySaysUpToTheMaximum(RetryPolicy.Backoff backoff, int failures, long expected) {
        assertThat(delay(backoff, 100, 1000, failures, 0)).isEqualTo(expected);
    }

    @ParameterizedTest
    @EnumSource(RetryPolicy.Backoff.class)
    void itNeverOverflows(RetryPolicy.Backoff backoff) {
        for (var failures = 1; failures < 200; failures++) {
            assertThat(delay(backoff, Long.MAX_VALUE / 3, Long.MAX_VALUE, failures, 0))
                    .isPositive();
            assertThat(delay(backoff, 3, Long.MAX_VALUE, failures, 0))
                    .isGreaterThanOrEqualTo(delay(backoff, 3, Long.MAX_VALUE, Math.max(1, failures - 1), 0));
        }
        assertThat(delay(backoff, Long.MAX_VALUE, 5_000, Integer.MAX_VALUE, 0)).isEqualTo(5_000);
    }

    @Test
    void jitterOnlyShortensAndByAQuarterAtMost() {
        assertThat(delay(RetryPolicy.Backoff.FIXED, 1000, 5000, 1, 0)).isEqualTo(1000);
        assertThat(delay(RetryPolicy.Backoff.FIXED, 1000, 5000, 1, 0.5)).isEqualTo(875);
        assertThat(delay(RetryPolicy.Backoff.FIXED, 1000, 5000, 1, 1)).isEqualTo(750);
    }

    @Test
    void theMaximumIsAppliedBeforeTheJitterSoThatLongDelaysStillSpread() {
        assertThat(delay(RetryPolicy.Backoff.EXPONENTIAL, 1000, 5000, 30, 1)).isEqualTo(3750);
        assertThat(delay(RetryPolicy.Backoff.EXPONENTIAL, 1000, 5000, 30, 0.2)).isEqualTo(4750);
    }

    @Test
    void anInitialDelayAboveTheMaximumIsTheMaximum() {
        assertThat(delay(RetryPolicy.Backoff.FIXED, 9000, 5000, 1, 0)).isEqualTo(5000);
    }

    @ParameterizedTest
    @EnumSource(RetryPolicy.Backoff.class)
    void noDelayStaysNoDelay(RetryPolicy.Backoff backoff) {
        assertThat(delay(backoff, 0, 5000, 40, 0.7)).isZero();
    }
}
