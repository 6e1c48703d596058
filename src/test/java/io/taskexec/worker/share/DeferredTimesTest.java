package io.taskexec.worker.share;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DeferredTimesTest {
    private static final Set<Integer> QUEUE = Set.of(1);
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final DeferredTimes times = new DeferredTimes();

    @Test
    void aQueueThatBecomesFullIsLookedAtAtOnceAndNoOtherIs() {
        assertThat(times.untilNext(QUEUE)).isZero();
        assertThat(times.untilNext(Set.of())).isNull();
    }

    @Test
    void whileNothingIsDeferredOrDueThereIsALookEachSecond() {
        times.looked(QUEUE, System.nanoTime(), null);
        assertThat(times.untilNext(QUEUE)).isBetween(Duration.ofMillis(500), SECOND);

        times.looked(QUEUE, System.nanoTime(), Duration.ofHours(1));
        assertThat(times.untilNext(QUEUE)).isBetween(Duration.ofMillis(500), SECOND);
    }

    @Test
    void whatBecomesDueIsLookedAfterAtItsTime() {
        times.looked(QUEUE, System.nanoTime(), Duration.ofMillis(600));

        assertThat(times.untilNext(QUEUE)).isBetween(Duration.ofMillis(100), Duration.ofMillis(600));
    }

    @Test
    void whatWasDueIsFollowedByALookSoonAndSoIsAnotherFullQueue() {
        times.looked(QUEUE, System.nanoTime(), Duration.ofMillis(-5));
        assertThat(times.untilNext(QUEUE)).isLessThan(Duration.ofMillis(400));

        times.looked(QUEUE, System.nanoTime(), null);
        assertThat(times.untilNext(Set.of(1, 2))).isLessThan(Duration.ofMillis(400));
    }

    @Test
    void looksThatTakeLongAreFew() {
        times.looked(QUEUE, System.nanoTime() - SECOND.toNanos(), Duration.ZERO);

        assertThat(times.untilNext(QUEUE)).isBetween(Duration.ofSeconds(15), Duration.ofSeconds(30));
        assertThat(times.untilNext(Set.of(2))).isGreaterThan(Duration.ofSeconds(15));
    }
}
