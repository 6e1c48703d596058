package io.taskexec.kafka;

import io.taskexec.job.JobIngestion.Answer.Refused;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.jspecify.annotations.Nullable;

/** Puts records that no job can be created from into a topic of their own, as they came, with the reason as headers. */
final class DeadLetters implements AutoCloseable {
    private final String topic;
    private final Supplier<Producer<byte[], byte[]>> connect;
    private @Nullable Producer<byte[], byte[]> producer;

    /** @param connect not called before there is something to put there */
    DeadLetters(String topic, Supplier<Producer<byte[], byte[]>> connect) {
        this.topic = topic;
        this.connect = connect;
    }

    /** Returns when all of them are there. */
    void putAll(Map<ConsumerRecord<byte[], byte[]>, Refused> refused) throws ExecutionException, InterruptedException {
        if (refused.isEmpty()) {
            return;
        }
        var open = producer == null ? connect.get() : producer;
        producer = open;
        var underWay = new ArrayList<Future<RecordMetadata>>();
        var letters = refused.entrySet().stream()
                .map(each -> letter(each.getKey(), each.getValue()))
                .toList();
        letters.forEach(letter -> underWay.add(open.send(letter)));
        for (var i = 0; i < letters.size(); i++) {
            arrived(open, letters.get(i), underWay.get(i));
        }
    }

    /** A record that is too large with its headers goes without its value: it must not be in the way of the others. */
    private static void arrived(
            Producer<byte[], byte[]> open, ProducerRecord<byte[], byte[]> letter, Future<RecordMetadata> sent)
            throws ExecutionException, InterruptedException {
        try {
            var _ = sent.get();
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof RecordTooLargeException)) {
                throw e;
            }
            var empty = new ProducerRecord<byte[], byte[]>(letter.topic(), null, letter.key(), null, letter.headers());
            var _ = open.send(empty).get();
        }
    }

    private ProducerRecord<byte[], byte[]> letter(ConsumerRecord<byte[], byte[]> record, Refused reason) {
        var letter = new ProducerRecord<>(topic, record.key(), record.value());
        record.headers().forEach(header -> letter.headers().add(header));
        var headers = Map.of(
                "taskexec-error-code", reason.code(),
                "taskexec-error-message", reason.message(),
                "taskexec-error", reason.body(),
                "taskexec-topic", record.topic(),
                "taskexec-partition", Integer.toString(record.partition()),
                "taskexec-offset", Long.toString(record.offset()));
        // Instead of those that it has when it comes from such a topic itself.
        headers.forEach(
                (name, value) -> letter.headers().remove(name).add(name, value.getBytes(StandardCharsets.UTF_8)));
        return letter;
    }

    @Override
    public void close() {
        if (producer != null) {
            producer.close(KafkaClients.DELIVERY);
            producer = null;
        }
    }
}
