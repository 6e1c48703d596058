package io.taskexec.dispatch.http;

import io.smallrye.mutiny.Uni;
import io.taskexec.dispatch.egress.EgressGuard;
import io.taskexec.model.delivery.Delivery;
import io.taskexec.model.delivery.HttpCall;
import io.taskexec.model.delivery.Outcome;
import io.vertx.core.Vertx;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

/** Delivers by HTTP. */
@Singleton
public class HttpDispatcher {
    private final HttpTransport transport;
    private final AuthorizedCalls authorized;
    private final String userAgent;

    @Inject
    public HttpDispatcher(Vertx vertx, EgressGuard guard, HttpConfig config) {
        this(HttpTransport.create(vertx, guard, config), config.userAgent());
    }

    public HttpDispatcher(HttpTransport transport, String userAgent) {
        this.transport = transport;
        this.authorized = new AuthorizedCalls(transport, userAgent);
        this.userAgent = userAgent;
    }

    /**
     * Sends {@code call} and waits for the answer, within the call's timeout. Never fails: whatever happens is an
     * outcome. Cancelling drops the connection at once. May emit on an event loop.
     */
    public Uni<Outcome> dispatch(HttpCall call, Delivery delivery) {
        try {
            var headers = OutgoingHeaders.of(call, delivery, userAgent);
            var access = call.access();
            return access == null
                    ? transport.send(transport.clients(), call, headers)
                    : CallFailure.orOutcome(() -> authorized.send(access, call, headers));
        } catch (RuntimeException | Error e) {
            return Uni.createFrom().item(CallFailure.ofException(e));
        }
    }

    @PreDestroy
    void close() {
        transport.identities().close();
    }
}
