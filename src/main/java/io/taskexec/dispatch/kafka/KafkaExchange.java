package io.taskexec.dispatch.kafka;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.smallrye.mutiny.subscription.UniEmitter;
import io.taskexec.dispatch.exchange.OneShot;
import io.taskexec.dispatch.exchange.SharedResource;
import io.taskexec.dispatch.exchange.SharedResources;
import io.taskexec.model.delivery.Outcome;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;

/** Delivers one message. It is sent on a thread that may block, and acknowledged on the producer's own. */
final class KafkaExchange extends OneShot {
    private final SharedResources<KafkaTarget, KafkaConnection> producers;
    private final KafkaTarget target;
    private final ProducerRecord<byte[], byte[]> record;
    private final Duration timeout;
    private final AtomicReference<@Nullable SharedResource<KafkaTarget, KafkaConnection>> held =
            new AtomicReference<>();

    KafkaExchange(
            Vertx vertx,
            SharedResources<KafkaTarget, KafkaConnection> producers,
            KafkaTarget target,
            ProducerRecord<byte[], byte[]> record,
            Duration timeout,
            UniEmitter<? super Outcome> emitter) {
        super(vertx, emitter);
        this.producers = producers;
        this.target = target;
        this.record = record;
        this.timeout = timeout;
    }

    /**
     * On a thread that costs nothing while it blocks, as it does for each message to a cluster that is down: so one
     * such cluster takes no thread from the others, however many messages there are for it.
     */
    @Override
    protected void begin() {
        var _ = Thread.ofVirtual().name("taskexec-kafka-send").start(this::send);
    }

    private void send() {
        try {
            var producer = producers.acquire(target, timeout);
            held.set(producer);
            if (isOver()) {
                release();
            } else if (producer != null) {
                send(producer.opening().join());
            }
        } catch (CompletionException e) {
            fail(e.getCause() instanceof Exception cause ? cause : e);
        } catch (Exception e) {
            fail(e);
        }
    }

    private void send(KafkaConnection connection) {
        connection.add(this);
        if (isOver()) {
            connection.remove(this);
        } else {
            connection.send(record, this::acknowledged);
        }
    }

    private void acknowledged(@Nullable RecordMetadata metadata, @Nullable Exception failure) {
        if (failure != null || metadata == null) {
            fail(failure == null ? new IllegalStateException("no answer and no failure") : failure);
            return;
        }
        var output = JsonNodeFactory.instance.objectNode();
        output.put("partition", metadata.partition()).put("offset", metadata.offset());
        finish(new Outcome.Succeeded(output));
    }

    private void fail(Exception failure) {
        var producer = held.get();
        if (producer != null && KafkaFailure.isOfProducer(failure)) {
            producers.retire(producer);
        }
        finish(KafkaFailure.classify(failure, target, record.topic()));
    }

    @Override
    protected Outcome onTimeout() {
        var producer = held.get();
        if (producer == null) {
            return KafkaFailure.crowdedOut(timeout);
        }
        var connection = producer.ready();
        return connection != null && connection.isUnknown(record.topic())
                ? KafkaFailure.unknownTopic(target, record.topic(), timeout)
                : KafkaFailure.timedOut(target, timeout);
    }

    /** An address of the cluster has been refused: ends this when the message has nowhere else to go. */
    void endIfRefused() {
        var producer = held.get();
        var connection = producer == null ? null : producer.ready();
        var refusal = connection == null ? null : connection.refusal(record.topic());
        if (refusal != null) {
            finish(KafkaFailure.blocked(refusal));
        }
    }

    @Override
    protected void release() {
        var producer = held.getAndSet(null);
        if (producer != null) {
            var connection = producer.ready();
            if (connection != null) {
                connection.remove(this);
            }
            producers.release(producer);
        }
    }
}
