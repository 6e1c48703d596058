package io.taskexec.dispatch.kafka;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.smallrye.mutiny.subscription.UniEmitter;
import io.taskexec.model.delivery.Outcome;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;

/**
 * One message on its way. It is sent on a thread that may block; the timer, a cancellation and what the producer's own
 * thread tells may come in between at any moment. Whoever sets {@code over} first decides the outcome, and the rest is
 * ignored.
 */
final class KafkaExchange {
    private final KafkaProducers producers;
    private final KafkaTarget target;
    private final ProducerRecord<byte[], byte[]> record;
    private final Duration timeout;
    private final UniEmitter<? super Outcome> emitter;
    private final Vertx vertx;
    private final Context context;
    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicReference<@Nullable SharedProducer> taken = new AtomicReference<>();
    private volatile long timer;

    KafkaExchange(
            Vertx vertx,
            KafkaProducers producers,
            KafkaTarget target,
            ProducerRecord<byte[], byte[]> record,
            Duration timeout,
            UniEmitter<? super Outcome> emitter) {
        this.vertx = vertx;
        this.context = vertx.getOrCreateContext();
        this.producers = producers;
        this.target = target;
        this.record = record;
        this.timeout = timeout;
        this.emitter = emitter;
    }

    /** Begins the delivery; the emitter gets its outcome on the thread of this call's context. */
    void start() {
        timer = vertx.setTimer(Math.max(1, timeout.toMillis()), _ -> finish(timedOut(), false));
        var _ = emitter.onTermination(this::abandon);
        // A thread that costs nothing while it blocks, as it does for each message to a cluster that is down: so one
        // such cluster takes no thread from the others, however many messages there are for it.
        var _ = Thread.ofVirtual().name("taskexec-kafka-send").start(this::send);
    }

    private void send() {
        try {
            var producer = producers.take(target, this, timeout);
            taken.set(producer);
            if (over.get()) {
                giveBack(false);
            } else if (producer != null) {
                producer.open().send(record, this::acknowledged);
            }
        } catch (Exception e) {
            fail(e);
        }
    }

    private void acknowledged(@Nullable RecordMetadata metadata, @Nullable Exception failure) {
        if (failure != null || metadata == null) {
            fail(failure == null ? new IllegalStateException("no answer and no failure") : failure);
            return;
        }
        var output = JsonNodeFactory.instance.objectNode();
        output.put("partition", metadata.partition()).put("offset", metadata.offset());
        finish(new Outcome.Succeeded(output), false);
    }

    private void fail(Exception failure) {
        finish(KafkaFailure.classify(failure, target, record.topic()), KafkaFailure.isOfProducer(failure));
    }

    private Outcome timedOut() {
        var producer = taken.get();
        if (producer == null) {
            return KafkaFailure.crowdedOut(timeout);
        }
        var connection = producer.connection();
        return connection != null && connection.isUnknown(record.topic())
                ? KafkaFailure.unknownTopic(target, record.topic())
                : KafkaFailure.timedOut(target, timeout);
    }

    /** An address of the cluster has been refused: ends this when the message has nowhere else to go. */
    void endIfRefused() {
        var producer = taken.get();
        var connection = producer == null ? null : producer.connection();
        var refusal = connection == null ? null : connection.refusal(record.topic());
        if (refusal != null) {
            finish(KafkaFailure.blocked(refusal), false);
        }
    }

    private void finish(Outcome outcome, boolean producerIsBroken) {
        if (over.compareAndSet(false, true)) {
            var _ = vertx.cancelTimer(timer);
            giveBack(producerIsBroken);
            context.runOnContext(_ -> emitter.complete(outcome));
        }
    }

    private void abandon() {
        if (over.compareAndSet(false, true)) {
            var _ = vertx.cancelTimer(timer);
            giveBack(false);
        }
    }

    private void giveBack(boolean broken) {
        var producer = taken.getAndSet(null);
        if (producer != null) {
            producers.giveBack(producer, this, broken);
        }
    }
}
