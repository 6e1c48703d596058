package io.taskexec.worker.share;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ReadingTimeTest {
    private static final ReadingTime QUICK = new ReadingTime(0, millis(1));
    private static final ReadingTime LONG = new ReadingTime(0, millis(10));

    private static long millis(long count) {
        return Duration.ofMillis(count).toNanos();
    }

    @Test
    void withNothingToClaimAQuickReadingIsRepeatedAtOnce() {
        assertThat(QUICK.isOutdated(0, false)).isTrue();
        assertThat(QUICK.untilNext(millis(5), Duration.ofSeconds(1))).isEqualTo(Duration.ofMillis(995));
        assertThat(QUICK.untilNext(millis(5), null)).isNull();
    }

    @Test
    void withSomethingToClaimItIsRepeatedAfterATenthOfASecond() {
        assertThat(QUICK.isOutdated(millis(99), true)).isFalse();
        assertThat(QUICK.isOutdated(millis(100), true)).isTrue();
    }

    @Test
    void aLongReadingIsRepeatedLessOften() {
        assertThat(LONG.isOutdated(millis(199), true)).isFalse();
        assertThat(LONG.isOutdated(millis(200), true)).isTrue();
        assertThat(LONG.isOutdated(millis(39), false)).isFalse();
        assertThat(LONG.isOutdated(millis(40), false)).isTrue();
    }

    @Test
    void untilThenThePollerSleepsWhateverIsDue() {
        assertThat(LONG.untilNext(millis(10), null)).isEqualTo(Duration.ofMillis(30));
        assertThat(LONG.untilNext(millis(50), Duration.ofMillis(70))).isEqualTo(Duration.ofMillis(20));
    }

    @Test
    void whatWasNeverReadIsOutdated() {
        assertThat(ReadingTime.NEVER.isOutdated(System.nanoTime(), true)).isTrue();
    }
}
