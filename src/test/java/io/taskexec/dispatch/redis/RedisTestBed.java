package io.taskexec.dispatch.redis;

import io.taskexec.dispatch.egress.EgressConfig;
import io.taskexec.dispatch.egress.EgressGuard;
import io.taskexec.dispatch.egress.TestEgress;
import io.taskexec.model.TraceContext;
import io.taskexec.model.delivery.Delivery;
import io.taskexec.model.delivery.DeliveryExtras;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.delivery.StreamEntry;
import io.taskexec.model.job.Failure;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** A dispatcher to Redis that may reach this machine. */
final class RedisTestBed implements AutoCloseable {
    /** How long a test waits for what must happen at once. */
    static final Duration PATIENCE = Duration.ofSeconds(20);

    static final Duration MEMORY = Duration.ofHours(24);

    final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(2).setWorkerPoolSize(2));
    final RedisDispatcher dispatcher;

    RedisTestBed() {
        this(new EgressGuard(new TestEgress(EgressConfig.Mode.OPEN)), null);
    }

    RedisTestBed(EgressGuard guard, @Nullable TrustManagerFactory trust) {
        dispatcher = new RedisDispatcher(vertx, new RedisConnector(vertx, guard, trust), MEMORY);
    }

    /** An attempt of a new execution. */
    static Delivery delivery() {
        return new Delivery(
                UUID.randomUUID(),
                UUID.randomUUID(),
                1,
                Instant.parse("2026-03-01T12:00:00.250Z"),
                new TraceContext("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7", true, null),
                DeliveryExtras.NONE);
    }

    /** The next attempt of the same execution. */
    static Delivery after(Delivery before) {
        return new Delivery(
                before.executionId(),
                before.jobId(),
                before.attempt() + 1,
                before.scheduledFor(),
                before.trace(),
                before.extras());
    }

    static StreamEntry entry(String url, String stream) {
        return new StreamEntry(url, stream, new LinkedHashMap<>(Map.of("n", "1")), null, true, PATIENCE);
    }

    Outcome dispatch(StreamEntry entry) {
        return dispatch(entry, delivery());
    }

    Outcome dispatch(StreamEntry entry, Delivery delivery) {
        return dispatcher.dispatch(entry, delivery).await().atMost(PATIENCE);
    }

    /** The id that a delivery gave which succeeded. */
    static String messageId(Outcome outcome) {
        if (outcome instanceof Outcome.Succeeded(var output)) {
            return output.path("message_id").textValue();
        }
        throw new AssertionError(outcome);
    }

    /** The reason of a retryable failure. */
    static Failure retryable(Outcome outcome) {
        if (outcome instanceof Outcome.RetryableFailure(var failure, var _)) {
            return failure;
        }
        throw new AssertionError(outcome);
    }

    /** The reason of a permanent failure. */
    static Failure permanent(Outcome outcome) {
        if (outcome instanceof Outcome.PermanentFailure(var failure, var _, var _)) {
            return failure;
        }
        throw new AssertionError(outcome);
    }

    @Override
    public void close() {
        dispatcher.close();
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }
}
