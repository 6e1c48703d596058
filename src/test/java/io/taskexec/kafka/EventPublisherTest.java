package io.taskexec.kafka;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.taskexec.model.job.ExecutionEvent;
import io.taskexec.testing.KafkaBroker;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.stream.LongStream;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class EventPublisherTest {
    private static final Duration BOUND = Duration.ofSeconds(20);

    /** The first event is waited with for longer than the others may be sent. */
    @Test
    void whereThereIsNoTopicThatIsTheReasonAndNotThatItTookLong() {
        var events =
                LongStream.rangeClosed(1, 3).mapToObj(EventPublisherTest::event).toList();

        try (var sender = DeadLettersTest.sender(KafkaBroker.shared())) {
            var publisher = new EventPublisher("no-topic-of-events", sender, Runnable::run);
            var deadline = System.nanoTime() + Duration.ofMillis(500).toNanos();
            assertThatExceptionOfType(TimeoutException.class)
                    .isThrownBy(
                            () -> publisher.publish(events, deadline).await().atMost(BOUND))
                    .withMessageContaining("no-topic-of-events not present in metadata");
        }
    }

    private static ExecutionEvent event(long position) {
        return new ExecutionEvent(
                position,
                ExecutionEvent.Kind.STARTED,
                UUID.randomUUID(),
                UUID.randomUUID(),
                "welcome",
                1,
                null,
                null,
                Instant.EPOCH,
                null);
    }
}
