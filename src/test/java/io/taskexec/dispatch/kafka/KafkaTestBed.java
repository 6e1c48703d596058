package io.taskexec.dispatch.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.taskexec.dispatch.egress.EgressConfig;
import io.taskexec.dispatch.egress.EgressGuard;
import io.taskexec.dispatch.egress.TestEgress;
import io.taskexec.dispatch.exchange.SharedResources;
import io.taskexec.model.delivery.Delivery;
import io.taskexec.model.delivery.DeliveryExtras;
import io.taskexec.model.delivery.KafkaMessage;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.endpoint.KafkaSecurity;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.KafkaBroker;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/** A dispatcher that may reach this machine, with a clock of its own. */
final class KafkaTestBed implements AutoCloseable {
    static final Delivery DELIVERY = new Delivery(
            UUID.fromString("0195a000-0000-7000-8000-000000000001"),
            UUID.fromString("0195a000-0000-7000-8000-000000000002"),
            3,
            Instant.parse("2026-03-01T12:00:00.250Z"),
            null,
            DeliveryExtras.NONE);

    /** How long a test waits for what must happen at once. */
    static final Duration PATIENCE = Duration.ofSeconds(20);

    final AtomicLong nanoTime = new AtomicLong();
    final Vertx vertx = Vertx.vertx();
    final KafkaDispatcher dispatcher;
    final SharedResources<KafkaTarget, KafkaConnection> producers;

    KafkaTestBed() {
        this(new EgressGuard(new TestEgress(EgressConfig.Mode.OPEN)));
    }

    KafkaTestBed(EgressGuard guard) {
        KafkaBroker.quiet();
        dispatcher = new KafkaDispatcher(vertx, guard, nanoTime::get);
        producers = dispatcher.producers();
    }

    Outcome dispatch(KafkaMessage message) {
        return dispatcher
                .dispatch(message, DELIVERY)
                .await()
                .atMost(message.timeout().plus(PATIENCE));
    }

    static KafkaMessage message(String bootstrap, String topic) {
        return message(bootstrap, topic, null);
    }

    static KafkaMessage message(String bootstrap, String topic, @Nullable KafkaSecurity security) {
        return new KafkaMessage(bootstrap, topic, "k", "{\"n\":1}", Map.of(), "all", security, Duration.ofSeconds(10));
    }

    static Map<String, String> texts(Headers headers) {
        var texts = new LinkedHashMap<String, String>();
        headers.forEach(header -> texts.put(header.key(), new String(header.value(), UTF_8)));
        return texts;
    }

    @Override
    public void close() {
        producers.close();
        try {
            Eventually.await("all producers are closed", PATIENCE, () -> producers.open() == 0);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }
}
