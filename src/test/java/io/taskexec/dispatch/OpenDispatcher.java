package io.taskexec.dispatch;

import io.smallrye.mutiny.Uni;
import io.taskexec.dispatch.egress.EgressConfig;
import io.taskexec.dispatch.egress.EgressGuard;
import io.taskexec.dispatch.egress.TestEgress;
import io.taskexec.dispatch.http.HttpDispatcher;
import io.taskexec.dispatch.http.HttpTransport;
import io.taskexec.dispatch.http.TestHttp;
import io.taskexec.dispatch.kafka.KafkaDispatcher;
import io.taskexec.dispatch.redis.RedisConnector;
import io.taskexec.dispatch.redis.RedisDispatcher;
import io.taskexec.model.delivery.Delivery;
import io.taskexec.model.delivery.DispatchRequest;
import io.taskexec.model.delivery.Outcome;
import io.vertx.core.Vertx;
import java.time.Duration;

/** The real dispatcher, allowed to reach this machine. */
public final class OpenDispatcher {
    private OpenDispatcher() {}

    /** A dispatcher that lives as long as {@code vertx}. */
    public static Dispatcher on(Vertx vertx) {
        var guard = new EgressGuard(new TestEgress(EgressConfig.Mode.OPEN));
        return new Dispatcher(http(vertx, guard), kafka(vertx, guard), redis(vertx, guard));
    }

    /** One that fails once the receiver has answered, as none should. */
    public static Dispatcher failingAtTheEnd(Vertx vertx) {
        var guard = new EgressGuard(new TestEgress(EgressConfig.Mode.OPEN));
        return new Dispatcher(http(vertx, guard), kafka(vertx, guard), redis(vertx, guard)) {
            @Override
            public Uni<Outcome> dispatch(DispatchRequest request, Delivery delivery) {
                return super.dispatch(request, delivery)
                        .onItem()
                        .failWith(() -> new IllegalStateException("on purpose"));
            }
        };
    }

    private static HttpDispatcher http(Vertx vertx, EgressGuard guard) {
        return new HttpDispatcher(HttpTransport.create(vertx, guard, TestHttp.DEFAULT), "taskexec/test");
    }

    private static KafkaDispatcher kafka(Vertx vertx, EgressGuard guard) {
        return new KafkaDispatcher(vertx, guard, System::nanoTime);
    }

    private static RedisDispatcher redis(Vertx vertx, EgressGuard guard) {
        return new RedisDispatcher(vertx, new RedisConnector(vertx, guard, null), Duration.ofHours(24));
    }
}
