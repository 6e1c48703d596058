package io.taskexec.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.taskexec.job.JobIngestion.Answer.Refused;
import io.taskexec.testing.KafkaBroker;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

class DeadLettersTest {
    private final KafkaBroker broker = KafkaBroker.shared();

    /** One that waits for a topic for a second, and sends no record of more than 10,000 bytes. */
    static RecordSender sender(KafkaBroker broker) {
        var settings = Map.<String, Object>of(
                "bootstrap.servers", broker.bootstrap(),
                "linger.ms", 0,
                "max.block.ms", 1_000,
                // The client splits a batch that the broker finds too large, for ever where it fits this size.
                "batch.size", 1_000,
                "max.request.size", 10_000);
        return new RecordSender(
                () -> new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer()));
    }

    /** Records with values of these lengths, at offsets from 0. */
    private static Map<ConsumerRecord<byte[], byte[]>, Refused> refused(int... lengths) {
        var refused = new LinkedHashMap<ConsumerRecord<byte[], byte[]>, Refused>();
        for (var i = 0; i < lengths.length; i++) {
            refused.put(
                    new ConsumerRecord<>("jobs", 0, i, "k".getBytes(UTF_8), new byte[lengths[i]]),
                    new Refused("INVALID_REQUEST", "It is no job.", "{}"));
        }
        return refused;
    }

    @Test
    void aTopicThatIsMissingIsWaitedForOnceAndNotWithEachRecord() {
        var begun = System.nanoTime();

        try (var sender = sender(broker)) {
            var letters = new DeadLetters("no-topic-of-letters", sender);
            assertThatExceptionOfType(TimeoutException.class)
                    .isThrownBy(() -> letters.putAll(refused(new int[20])))
                    .withMessageContaining("no-topic-of-letters not present in metadata");
        }

        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(10));
    }

    /** The first one is too large for the client, the second one for the broker. */
    @Test
    void aRecordThatIsTooLargeGoesWithoutItsValueAndIsInTheWayOfNoOther() {
        var topic = broker.topic("letters", 1, Map.of("max.message.bytes", "2000"));

        try (var sender = sender(broker)) {
            new DeadLetters(topic, sender).putAll(refused(20_000, 5_000, 10));
        }

        var lengths = new HashMap<String, Integer>();
        for (var letter : broker.records(topic, 3)) {
            var offset =
                    new String(letter.headers().lastHeader("taskexec-offset").value(), UTF_8);
            lengths.put(offset, letter.value() == null ? 0 : letter.value().length);
        }
        assertThat(lengths).isEqualTo(Map.of("0", 0, "1", 0, "2", 10));
    }

    @Test
    void aRecordWhoseKeyIsTooLargeGoesWithoutIt() {
        var topic = broker.topic("letters-of-keys", 1, Map.of());
        var record = new ConsumerRecord<>("jobs", 0, 7, new byte[20_000], new byte[1]);
        record.headers().add("taskexec-large", new byte[20_000]);

        try (var sender = sender(broker)) {
            new DeadLetters(topic, sender)
                    .putAll(Map.of(record, new Refused("INVALID_REQUEST", "It is no job.", "{}")));
        }

        var letter = broker.records(topic, 1).getFirst();
        assertThat(letter.key()).isNull();
        assertThat(letter.value()).isNull();
        assertThat(letter.headers().toArray()).hasSize(6);
        assertThat(letter.headers().lastHeader("taskexec-offset").value()).isEqualTo("7".getBytes(UTF_8));
    }
}
