package io.taskexec.worker.share;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.store.execution.QueueRoom.Wait;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class FullQueuesTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final FullQueues queues = new FullQueues();

    @Test
    void aQueueIsFullForItsTime() {
        queues.add(1, new Wait(LONG, false), 0);
        queues.add(2, new Wait(Duration.ofNanos(-1), false), 0);

        assertThat(queues.isFull(1)).isTrue();
        assertThat(queues.isFull(2)).isFalse();
        assertThat(queues.isFull(3)).isFalse();
        assertThat(queues.untilFirst(queue -> queue == 1)).isBetween(LONG.minusSeconds(30), LONG);
        assertThat(queues.untilFirst(queue -> queue == 3)).isNull();
    }

    @Test
    void aPlaceThatIsFreedEndsTheWaitForPlacesButNotForTokens() {
        queues.add(1, new Wait(LONG, true), 0);
        queues.add(2, new Wait(LONG, false), 0);

        queues.placeFreed();

        assertThat(queues.isFull(1)).isFalse();
        assertThat(queues.isFull(2)).isTrue();
    }

    @Test
    void aPlaceThatWasFreedMeanwhileIsNotWaitedFor() {
        var before = queues.placesFreed();
        queues.placeFreed();

        queues.add(1, new Wait(LONG, true), before);

        assertThat(queues.isFull(1)).isFalse();
    }
}
