package io.taskexec.kafka;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.Json;
import io.taskexec.model.PublicId;
import io.taskexec.model.job.ExecutionEvent;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;

/**
 * Sends events to a topic, with the execution as their key. An event is not sent before the one before it of the same
 * execution is acknowledged: where that fails in the end, what follows it would be there already.
 */
final class EventPublisher {
    private static final String CONTENT_TYPE = "application/cloudevents+json; charset=UTF-8";

    private final String topic;
    private final RecordSender sender;
    private final Executor blocking;

    /** @param blocking runs what waits for brokers, one task at a time */
    EventPublisher(String topic, RecordSender sender, Executor blocking) {
        this.topic = topic;
        this.sender = sender;
        this.blocking = blocking;
    }

    /**
     * Sends events; the result comes when all are acknowledged.
     *
     * @param deadline nothing is sent after it, a {@link System#nanoTime}
     */
    Uni<Void> publish(List<ExecutionEvent> events, long deadline) {
        return Uni.createFrom().voidItem().emitOn(blocking).invoke(() -> send(events, deadline));
    }

    /** Ends the connections; what is to be sent later opens new ones. */
    Uni<Void> close() {
        return Uni.createFrom().voidItem().emitOn(blocking).invoke(sender::close);
    }

    private void send(List<ExecutionEvent> events, long deadline) {
        var underWay = new HashMap<UUID, Future<RecordMetadata>>();
        for (var event : events) {
            if (underWay.containsKey(event.executionId())) {
                awaitAll(underWay);
            }
            if (System.nanoTime() - deadline > 0) {
                throw new KafkaException("it took too long, and another process may go on");
            }
            var sent = sender.send(record(event));
            if (sent.isDone()) {
                // Where there is no topic, the next one would wait for it as long, and hide the reason.
                RecordSender.await(sent);
            }
            underWay.put(event.executionId(), sent);
        }
        awaitAll(underWay);
    }

    private static void awaitAll(Map<UUID, Future<RecordMetadata>> underWay) {
        underWay.values().forEach(RecordSender::await);
        underWay.clear();
    }

    private ProducerRecord<byte[], byte[]> record(ExecutionEvent event) {
        var record = new ProducerRecord<>(
                topic,
                PublicId.EXECUTION.show(event.executionId()).getBytes(StandardCharsets.UTF_8),
                Json.write(event.toCloudEvent()).getBytes(StandardCharsets.UTF_8));
        record.headers().add("content-type", CONTENT_TYPE.getBytes(StandardCharsets.UTF_8));
        return record;
    }
}
