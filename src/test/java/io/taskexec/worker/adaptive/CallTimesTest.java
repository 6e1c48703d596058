package io.taskexec.worker.adaptive;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class CallTimesTest {
    private final CallTimes times = new CallTimes();

    private void add(int count, Duration time, Duration at) {
        for (var i = 0; i < count; i++) {
            times.add(time.toNanos(), at.toNanos());
        }
    }

    @Test
    void fewCallsSayNothing() {
        add(10, Duration.ofMillis(50), Duration.ZERO);
        add(10, Duration.ofSeconds(5), Duration.ZERO);

        assertThat(times.slowness()).isEqualTo(1);
    }

    @Test
    void callsAreComparedWithThoseOfAQuietTime() {
        add(100, Duration.ofMillis(50), Duration.ZERO);
        assertThat(times.slowness()).isEqualTo(1);

        add(200, Duration.ofMillis(150), Duration.ofSeconds(1));

        assertThat(times.slowness()).isCloseTo(3, Offset.offset(0.01));
    }

    @Test
    void quickCallsAreNotSlowForAFewMilliseconds() {
        add(100, Duration.ofMillis(1), Duration.ZERO);
        add(200, Duration.ofMillis(20), Duration.ofSeconds(1));

        assertThat(times.slowness()).isLessThanOrEqualTo(1);
    }

    @Test
    void aQuietTimeIsForgottenAfterAMinute() {
        add(100, Duration.ofMillis(50), Duration.ZERO);
        add(500, Duration.ofMillis(150), Duration.ofSeconds(1));

        add(500, Duration.ofMillis(150), Duration.ofSeconds(40));
        add(500, Duration.ofMillis(150), Duration.ofSeconds(80));

        assertThat(times.slowness()).isCloseTo(1, Offset.offset(0.01));
    }
}
