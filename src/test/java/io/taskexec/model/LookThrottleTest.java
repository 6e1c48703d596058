package io.taskexec.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LookThrottleTest {
    private final LookThrottle throttle = new LookThrottle(Duration.ofMinutes(1), LookThrottle.RARE);

    private static long at(long ms) {
        // Before the number begins anew, as it may.
        return Long.MAX_VALUE + TimeUnit.MILLISECONDS.toNanos(ms);
    }

    @Test
    void aShortLookComesAgainAfterTheUsualTime() {
        assertThat(throttle.isDue(at(0))).isTrue();

        throttle.looked(at(0), at(300));

        assertThat(throttle.isDue(at(300))).isTrue();
    }

    @Test
    void aLongLookTakesATwoHundredthOfTheTime() {
        throttle.looked(at(0), at(500));

        assertThat(throttle.isDue(at(100_499))).isFalse();
        assertThat(throttle.isDue(at(100_500))).isTrue();
    }

    @Test
    void noPauseIsLongerThanAlertsWait() {
        throttle.looked(at(0), at(5_000));

        assertThat(throttle.isDue(at(304_999))).isFalse();
        assertThat(throttle.isDue(at(305_000))).isTrue();
    }

    @Test
    void afterAFailureThePauseIsShorter() {
        var often = new LookThrottle(Duration.ofSeconds(15), 20);
        often.failed(at(0), at(7_000));

        assertThat(often.isDue(at(66_999))).isFalse();
        assertThat(often.isDue(at(67_000))).isTrue();
    }
}
