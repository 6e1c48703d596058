package io.taskexec.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Eventually;
import io.taskexec.testing.KafkaBroker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RoundRobinPartitioner;
import org.junit.jupiter.api.Test;

class KafkaClientsTest {
    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final int RECORDS = 20;

    /** Settings that would end the order of a key, the beginning at the oldest record, or all sending. */
    private static final Map<String, Object> HARMFUL = Map.of(
            "transactional.id", "t",
            "partitioner.class", RoundRobinPartitioner.class.getName(),
            "partitioner.ignore.keys", "true",
            "auto.offset.reset", "latest");

    private final KafkaBroker broker = KafkaBroker.shared();

    @Test
    void noSettingChangesWhatIsPromised() throws InterruptedException {
        var topic = broker.topic("promised", 3, Map.of());
        var clients = new KafkaClients(() -> HARMFUL);

        try (var sender = clients.sender(broker.bootstrap())) {
            for (var i = 0; i < RECORDS; i++) {
                RecordSender.await(sender.send(new ProducerRecord<>(topic, "key".getBytes(UTF_8), new byte[1])));
            }
        }

        var read = new ArrayList<ConsumerRecord<byte[], byte[]>>();
        try (var consumer = clients.consumer(broker.bootstrap(), topic)) {
            consumer.subscribe(List.of(topic));
            Eventually.await("all are read", BOUND, () -> {
                consumer.poll(Duration.ofMillis(100)).forEach(read::add);
                return read.size() == RECORDS;
            });
        }
        assertThat(read)
                .extracting(ConsumerRecord::partition)
                .containsOnly(read.getFirst().partition());
    }
}
