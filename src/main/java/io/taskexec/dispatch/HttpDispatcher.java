package io.taskexec.dispatch;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.Delivery;
import io.taskexec.model.HeaderRules;
import io.taskexec.model.HttpCall;
import io.taskexec.model.Outcome;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

/** Delivers by HTTP. */
@Singleton
public class HttpDispatcher {
    /** By how much a place in the queue for a connection outlives the call, so that the call's own timer speaks first. */
    private static final int QUEUE_GRACE_MS = 100;

    private final HttpTransport transport;
    private final String userAgent;

    @Inject
    HttpDispatcher(Vertx vertx, EgressGuard guard, HttpConfig config) {
        this(HttpTransport.create(vertx, guard), config.userAgent());
    }

    HttpDispatcher(HttpTransport transport, String userAgent) {
        this.transport = transport;
        this.userAgent = userAgent;
    }

    /**
     * Sends {@code call} and waits for the answer, within the call's timeout. Never fails: whatever happens is an
     * outcome. Cancelling drops the connection at once. May emit on an event loop.
     */
    public Uni<Outcome> dispatch(HttpCall call, Delivery delivery) {
        return Uni.createFrom()
                .deferred(() -> begin(call, delivery))
                .onFailure(InvalidCallException.class)
                .recoverWithItem(CallFailure::invalid)
                .onFailure()
                .recoverWithItem(CallFailure::defect);
    }

    private Uni<Outcome> begin(HttpCall call, Delivery delivery) {
        var target = HttpTarget.of(call.uri());
        var options = options(call, target).setHeaders(OutgoingHeaders.of(call, delivery, userAgent));
        return Uni.createFrom().emitter(emitter -> new HttpExchange(transport, target, options, call, emitter).start());
    }

    private static RequestOptions options(HttpCall call, HttpTarget target) {
        return new RequestOptions()
                .setMethod(method(call.method()))
                .setSsl(target.tls())
                .setHost(target.hostInUrl())
                .setPort(target.port())
                .setURI(target.path())
                .setConnectTimeout(call.timeout().toMillis() + QUEUE_GRACE_MS);
    }

    private static HttpMethod method(String name) {
        // CONNECT would make a tunnel through the receiver of whatever comes after it.
        if (!HeaderRules.isToken(name) || name.equals(HttpMethod.CONNECT.name())) {
            throw new InvalidCallException("The method is not one that can be sent");
        }
        return HttpMethod.valueOf(name);
    }
}
