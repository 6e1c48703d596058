package io.taskexec.worker.breaker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AttemptWindowTest {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final AttemptWindow window = new AttemptWindow(Duration.ofSeconds(10));

    @Test
    void itCountsWhatEndedWithinItsLengthAndForgetsTheRest() {
        for (var i = 0; i < 10; i++) {
            window.add(i % 2 == 0, i * SECOND);
        }
        assertThat(window.attempts()).isEqualTo(10);
        assertThat(window.failures()).isEqualTo(5);

        window.add(true, 14 * SECOND);

        assertThat(window.attempts()).isEqualTo(6);
        assertThat(window.failures()).isEqualTo(3);
    }

    @Test
    void afterALongPauseNothingIsLeft() {
        window.add(true, 0);
        window.add(false, 1_000_000 * SECOND);

        assertThat(window.attempts()).isEqualTo(1);
        assertThat(window.failures()).isZero();
    }

    // The monotonic clock may begin anywhere, below zero too, and several threads may be a little apart.
    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE / 2, -5_000_000_000L, 0, Long.MAX_VALUE / 2})
    void whereTheClockBeginsDoesNotMatter(long begin) {
        window.add(true, begin);
        window.add(true, begin + 3 * SECOND);
        window.add(true, begin + 2 * SECOND);

        assertThat(window.attempts()).isEqualTo(3);
        window.add(false, begin + 12 * SECOND);
        assertThat(window.attempts()).isLessThan(4);
    }
}
