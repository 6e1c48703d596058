package io.taskexec.dispatch.kafka;

import io.smallrye.mutiny.Uni;
import io.taskexec.dispatch.http.CallFailure;
import io.taskexec.dispatch.http.InvalidCallException;
import io.taskexec.model.delivery.Delivery;
import io.taskexec.model.delivery.KafkaMessage;
import io.taskexec.model.delivery.Outcome;
import io.vertx.core.Vertx;
import jakarta.inject.Singleton;

/** Delivers to topics of Kafka clusters. */
@Singleton
public class KafkaDispatcher {
    private final Vertx vertx;
    private final KafkaProducers producers;

    public KafkaDispatcher(Vertx vertx, KafkaProducers producers) {
        this.vertx = vertx;
        this.producers = producers;
    }

    /**
     * Sends {@code message} and waits for the acknowledgement that it asks for, within its timeout. Never fails: whatever
     * happens is an outcome. After a timeout, and when it is cancelled, the message may still arrive.
     */
    public Uni<Outcome> dispatch(KafkaMessage message, Delivery delivery) {
        return Uni.createFrom()
                .deferred(() -> begin(message, delivery))
                .onFailure(InvalidCallException.class)
                .recoverWithItem(CallFailure::invalid)
                .onFailure()
                .recoverWithItem(CallFailure::defect);
    }

    private Uni<Outcome> begin(KafkaMessage message, Delivery delivery) {
        var target = KafkaTarget.of(message);
        var record = KafkaRecords.of(message, delivery);
        return Uni.createFrom()
                .emitter(emitter ->
                        new KafkaExchange(vertx, producers, target, record, message.timeout(), emitter).start());
    }
}
