package io.taskexec.store.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.flow.RateLimit;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class QueueRoomTest {
    /** A token each 10 ms. */
    private static final RateLimit RATE = new RateLimit(100, Duration.ofSeconds(1), 20);

    private static QueueRoom room(@Nullable Integer places, @Nullable RateLimit rate, long aheadMs) {
        return new QueueRoom(1, places, rate, Duration.ofMillis(aheadMs), null);
    }

    @Test
    void aQueueWithoutLimitsHasRoomForAll() {
        assertThat(room(null, null, 0).most()).isEqualTo(Integer.MAX_VALUE);
        assertThat(room(null, null, 0).waitAfter(1_000_000)).isNull();
    }

    @Test
    void theCapLeavesThePlacesThatAreNotTaken() {
        assertThat(room(3, null, 0).most()).isEqualTo(3);
        assertThat(room(3, null, 0).waitAfter(2)).isNull();
        assertThat(room(3, null, 0).waitAfter(3)).isEqualTo(new QueueRoom.Wait(Duration.ofMillis(250), true));
        assertThat(room(-2, null, 0).most()).isZero();
    }

    @Test
    void afterAQuietTimeTheBurstMayBeginAtOnce() {
        assertThat(room(null, RATE, 0).most()).isEqualTo(20);
        assertThat(room(7, RATE, 0).most()).isEqualTo(7);
    }

    @Test
    void spentTokensAreLeftOut() {
        assertThat(room(null, RATE, 50).most()).isEqualTo(15);
        assertThat(room(null, RATE, 190).most()).isEqualTo(1);
        assertThat(room(null, RATE, 191).most()).isZero();
    }

    @Test
    void tokensAreWaitedForTogether() {
        assertThat(room(null, RATE, 0).waitAfter(19)).isNull();
        // The next token comes after 10 ms, and five in 50 ms, which the burst allows to be late.
        assertThat(room(null, RATE, 0).waitAfter(20)).isEqualTo(new QueueRoom.Wait(Duration.ofMillis(60), false));
        assertThat(room(null, RATE, 240).waitAfter(0)).isEqualTo(new QueueRoom.Wait(Duration.ofMillis(100), false));
    }

    @Test
    void withoutABurstEachTokenIsWaitedFor() {
        var strict = new RateLimit(10, Duration.ofSeconds(1), 1);

        assertThat(room(null, strict, 0).most()).isEqualTo(1);
        assertThat(room(null, strict, 0).waitAfter(1)).isEqualTo(new QueueRoom.Wait(Duration.ofMillis(100), false));
        assertThat(room(null, strict, 1).most()).isZero();
    }

    @Test
    void nothingBeginsBeforeWhatRunsIsCounted() {
        var room = new QueueRoom(1, 5, null, Duration.ZERO, Duration.ofMillis(80));

        assertThat(room.most()).isZero();
        assertThat(room.waitAfter(0)).isEqualTo(new QueueRoom.Wait(Duration.ofMillis(80), false));
    }

    @Test
    void afterAPauseTheSlotsAreGivenStepByStep() {
        assertThat(QueueRoom.slowStart(100, Duration.ZERO)).isEqualTo(10);
        assertThat(QueueRoom.slowStart(100, Duration.ofSeconds(5))).isEqualTo(55);
        assertThat(QueueRoom.slowStart(100, Duration.ofSeconds(10))).isEqualTo(100);
        assertThat(QueueRoom.slowStart(1, Duration.ZERO)).isEqualTo(1);
    }
}
