package io.taskexec.dispatch.kafka;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.smallrye.mutiny.Uni;
import io.taskexec.dispatch.egress.EgressGuard;
import io.taskexec.dispatch.exchange.SharedResources;
import io.taskexec.dispatch.http.CallFailure;
import io.taskexec.model.delivery.Delivery;
import io.taskexec.model.delivery.KafkaMessage;
import io.taskexec.model.delivery.Outcome;
import io.vertx.core.Vertx;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.function.LongSupplier;

/** Delivers to topics of Kafka clusters. */
@Singleton
public class KafkaDispatcher {
    private final Vertx vertx;
    private final SharedResources<KafkaTarget, KafkaConnection> producers;

    @Inject
    public KafkaDispatcher(Vertx vertx, EgressGuard guard, MeterRegistry registry) {
        this(vertx, guard, System::nanoTime);
        Gauge.builder("taskexec.kafka.producers", producers, SharedResources::open)
                .description("Producers of this process that are open, one for each Kafka cluster and its terms")
                .register(registry);
    }

    public KafkaDispatcher(Vertx vertx, EgressGuard guard, LongSupplier nanoTime) {
        this.vertx = vertx;
        this.producers = new SharedResources<>(
                vertx, new KafkaProducers(guard), KafkaProducers.MOST, KafkaProducers.IDLE, nanoTime);
    }

    SharedResources<KafkaTarget, KafkaConnection> producers() {
        return producers;
    }

    /**
     * Sends {@code message} and waits for the acknowledgement that it asks for, within its timeout. Never fails:
     * whatever happens is an outcome. After a timeout, and when it is cancelled, the message may still arrive.
     */
    public Uni<Outcome> dispatch(KafkaMessage message, Delivery delivery) {
        return CallFailure.orOutcome(() -> begin(message, delivery));
    }

    private Uni<Outcome> begin(KafkaMessage message, Delivery delivery) {
        var target = KafkaTarget.of(message);
        var record = KafkaRecords.of(message, delivery);
        var timeout = message.timeout();
        return Uni.createFrom()
                .emitter(emitter ->
                        new KafkaExchange(vertx, producers, target, record, timeout, emitter).start(timeout));
    }

    @PreDestroy
    void close() {
        producers.close();
    }
}
