package io.taskexec.dispatch.redis;

import io.lettuce.core.api.StatefulRedisConnection;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.smallrye.mutiny.Uni;
import io.taskexec.dispatch.egress.EgressGuard;
import io.taskexec.dispatch.exchange.SharedResources;
import io.taskexec.dispatch.http.CallFailure;
import io.taskexec.model.delivery.Delivery;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.delivery.StreamEntry;
import io.vertx.core.Vertx;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;

/** Delivers to Redis streams: standalone servers and clusters. */
@Singleton
public class RedisDispatcher {
    private static final int MOST_CONNECTIONS = 256;
    private static final Duration IDLE = Duration.ofMinutes(10);

    private final Vertx vertx;
    private final RedisConnector connector;
    private final SharedResources<RedisTarget, StatefulRedisConnection<String, String>> connections;
    private final StreamNodes nodes = new StreamNodes();
    private final Duration memory;

    @Inject
    public RedisDispatcher(Vertx vertx, EgressGuard guard, RedisConfig config, MeterRegistry metrics) {
        this(
                vertx,
                new RedisConnector(
                        vertx, guard, config.redisCa().map(RedisTrust::in).orElse(null)),
                config.redisDedupTtl());
        Gauge.builder("taskexec.redis.connections", connections, SharedResources::open)
                .description("Connections to Redis that are open or being opened")
                .register(metrics);
    }

    /** @param memory how long Redis remembers the entry of an execution */
    public RedisDispatcher(Vertx vertx, RedisConnector connector, Duration memory) {
        this.vertx = vertx;
        this.connector = connector;
        this.connections = new SharedResources<>(vertx, connector, MOST_CONNECTIONS, IDLE, System::nanoTime);
        this.memory = memory;
    }

    /** The number of connections. */
    int connections() {
        return connections.open();
    }

    /**
     * Adds {@code entry} to its stream unless an attempt of the same execution has, within the entry's timeout. Never
     * fails: whatever happens is an outcome. Cancelling leaves open whether the entry is added. Emits where it was
     * subscribed to, when that is an event loop.
     */
    public Uni<Outcome> dispatch(StreamEntry entry, Delivery delivery) {
        return CallFailure.orOutcome(() -> begin(entry, delivery));
    }

    private Uni<Outcome> begin(StreamEntry entry, Delivery delivery) {
        var target = RedisTarget.of(entry.url());
        var script = new StreamScript(entry, delivery, memory);
        return Uni.createFrom()
                .emitter(emitter -> new RedisExchange(vertx, connections, nodes, target, entry, script, emitter)
                        .start(entry.timeout()));
    }

    @PreDestroy
    void close() {
        connections.close();
        connector.close();
    }
}
