package io.taskexec.dispatch;

import io.smallrye.mutiny.Uni;
import io.taskexec.dispatch.http.HttpDispatcher;
import io.taskexec.dispatch.kafka.KafkaDispatcher;
import io.taskexec.dispatch.redis.RedisDispatcher;
import io.taskexec.model.delivery.Delivery;
import io.taskexec.model.delivery.DispatchRequest;
import io.taskexec.model.delivery.HttpCall;
import io.taskexec.model.delivery.KafkaMessage;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.delivery.StreamEntry;
import jakarta.inject.Singleton;

/** Hands each request to the dispatcher of its transport. */
@Singleton
public class Dispatcher {
    private final HttpDispatcher http;
    private final KafkaDispatcher kafka;
    private final RedisDispatcher redis;

    Dispatcher(HttpDispatcher http, KafkaDispatcher kafka, RedisDispatcher redis) {
        this.http = http;
        this.kafka = kafka;
        this.redis = redis;
    }

    /** Delivers {@code request} under the identity {@code delivery}. Never fails: whatever happens is an outcome. */
    public Uni<Outcome> dispatch(DispatchRequest request, Delivery delivery) {
        return switch (request) {
            case HttpCall call -> http.dispatch(call, delivery);
            case KafkaMessage message -> kafka.dispatch(message, delivery);
            case StreamEntry entry -> redis.dispatch(entry, delivery);
        };
    }
}
