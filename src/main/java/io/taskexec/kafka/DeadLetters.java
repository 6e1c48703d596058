package io.taskexec.kafka;

import io.taskexec.job.JobIngestion.Answer.Refused;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** Puts records that no job can be created from into a topic of their own, as they came, with the reason as headers. */
final class DeadLetters {
    /** Together with what the database may take, less than a reader may be silent before others get its partitions. */
    private static final Duration LONGEST = Duration.ofMinutes(2);

    /** The headers that each letter gets. */
    private static final List<String> OURS = List.of(
            "taskexec-error-code",
            "taskexec-error-message",
            "taskexec-error",
            "taskexec-topic",
            "taskexec-partition",
            "taskexec-offset");

    private final String topic;
    private final RecordSender sender;

    private record Sent(ProducerRecord<byte[], byte[]> letter, Future<RecordMetadata> acknowledged) {}

    DeadLetters(String topic, RecordSender sender) {
        this.topic = topic;
        this.sender = sender;
    }

    /** Returns when all of them are there. After a failure all of them must be put again. */
    void putAll(Map<ConsumerRecord<byte[], byte[]>, Refused> refused) {
        var deadline = System.nanoTime() + LONGEST.toNanos();
        var underWay = new ArrayList<Sent>();
        try {
            refused.forEach((record, reason) -> {
                var letter = letter(record, reason);
                var sent = new Sent(letter, send(letter, deadline));
                if (sent.acknowledged().isDone()) {
                    // Where there is no topic, each of the others would wait for it as long as this one.
                    await(sent, deadline);
                } else {
                    underWay.add(sent);
                }
            });
            underWay.forEach(sent -> await(sent, deadline));
        } catch (KafkaException e) {
            // After some failures a producer sends nothing more.
            sender.close();
            throw e;
        }
    }

    private Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> letter, long deadline) {
        if (System.nanoTime() - deadline > 0) {
            throw new KafkaException("the brokers take dead letters too slowly");
        }
        return sender.send(letter);
    }

    /**
     * A record that is too large with its headers goes without its value, or else without its key and headers too: it
     * must not be in the way of the others.
     */
    private void await(Sent sent, long deadline) {
        try {
            RecordSender.await(sent.acknowledged());
        } catch (RecordTooLargeException _) {
            var letter = sent.letter();
            try {
                RecordSender.await(send(withoutValue(letter.key(), letter.headers()), deadline));
            } catch (RecordTooLargeException _) {
                var ours = OURS.stream().map(letter.headers()::lastHeader).toList();
                RecordSender.await(send(withoutValue(null, ours), deadline));
            }
        }
    }

    private ProducerRecord<byte[], byte[]> withoutValue(byte @Nullable [] key, Iterable<Header> headers) {
        return new ProducerRecord<byte[], byte[]>(topic, null, key, null, headers);
    }

    private ProducerRecord<byte[], byte[]> letter(ConsumerRecord<byte[], byte[]> record, Refused reason) {
        var letter = new ProducerRecord<>(topic, record.key(), record.value());
        record.headers().forEach(header -> letter.headers().add(header));
        var values = List.of(
                reason.code(),
                reason.message(),
                reason.body(),
                record.topic(),
                Integer.toString(record.partition()),
                Long.toString(record.offset()));
        for (var i = 0; i < values.size(); i++) {
            var name = OURS.get(i);
            // Instead of those that it has when it comes from such a topic itself.
            letter.headers().remove(name).add(name, values.get(i).getBytes(StandardCharsets.UTF_8));
        }
        return letter;
    }
}
