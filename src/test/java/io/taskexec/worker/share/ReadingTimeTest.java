package io.taskexec.worker.share;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ReadingTimeTest {
    private static final ReadingTime FEW = new ReadingTime(0, 199);
    private static final ReadingTime MANY = new ReadingTime(0, 1_000);

    private static long millis(long count) {
        return Duration.ofMillis(count).toNanos();
    }

    @Test
    void withNothingToClaimAReadingOfFewLanesIsRepeatedAtOnce() {
        assertThat(FEW.isOutdated(0, false)).isTrue();
        assertThat(FEW.untilNext(millis(5), Duration.ofSeconds(1))).isEqualTo(Duration.ofMillis(995));
        assertThat(FEW.untilNext(millis(5), null)).isNull();
    }

    @Test
    void withSomethingToClaimItIsRepeatedAfterATenthOfASecond() {
        assertThat(FEW.isOutdated(millis(99), true)).isFalse();
        assertThat(FEW.isOutdated(millis(100), true)).isTrue();
    }

    @Test
    void aReadingOfManyLanesIsRepeatedLessOften() {
        assertThat(MANY.isOutdated(millis(199), true)).isFalse();
        assertThat(MANY.isOutdated(millis(200), true)).isTrue();
        assertThat(MANY.isOutdated(millis(39), false)).isFalse();
        assertThat(MANY.isOutdated(millis(40), false)).isTrue();
    }

    @Test
    void untilThenThePollerSleepsWhateverIsDue() {
        assertThat(MANY.untilNext(millis(10), null)).isEqualTo(Duration.ofMillis(30));
        assertThat(MANY.untilNext(millis(50), Duration.ofMillis(70))).isEqualTo(Duration.ofMillis(20));
    }

    @Test
    void whatWasNeverReadIsOutdated() {
        assertThat(ReadingTime.never().isOutdated(System.nanoTime(), true)).isTrue();
    }
}
