package io.taskexec.dispatch;

import io.vertx.core.Vertx;
import java.time.Duration;

/** The real dispatcher, allowed to reach this machine. */
public final class OpenDispatcher {
    private OpenDispatcher() {}

    /** A dispatcher that lives as long as {@code vertx}. */
    public static Dispatcher on(Vertx vertx) {
        var guard = new EgressGuard(new TestEgress(EgressConfig.Mode.OPEN));
        return new Dispatcher(
                new HttpDispatcher(HttpTransport.create(vertx, guard, TestHttp.DEFAULT), "taskexec/test"),
                new KafkaDispatcher(vertx, new KafkaProducers(guard, System::nanoTime)),
                new RedisDispatcher(vertx, new RedisConnector(vertx, guard, null), Duration.ofHours(24)));
    }
}
