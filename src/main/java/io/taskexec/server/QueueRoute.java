package io.taskexec.server;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.quarkus.vertx.http.ManagementInterface;
import io.taskexec.model.Json;
import io.taskexec.scheduler.QueueWatch;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Provider;
import jakarta.inject.Singleton;
import org.jboss.logging.Logger;

/** {@code GET /metrics/queues} on the management port, of processes with any roles. */
@Singleton
final class QueueRoute {
    private static final Logger LOG = Logger.getLogger(QueueRoute.class);
    private static final int OK = 200;
    private static final int UNAVAILABLE = 503;

    /** Asked with a request: other commands than the server have no database for it when routes are made. */
    private final Provider<QueueWatch> watch;

    QueueRoute(Provider<QueueWatch> watch) {
        this.watch = watch;
    }

    void open(@Observes ManagementInterface management) {
        management.router().get("/metrics/queues").handler(this::answer);
    }

    private void answer(RoutingContext request) {
        var name = request.request().getParam("queue");
        var _ = watch.get()
                .depths()
                .map(depths -> name == null ? QueueReport.all(depths) : QueueReport.one(depths, name))
                .subscribe()
                .with(report -> send(request, OK, report), failure -> fail(request, failure));
    }

    /** An autoscaler that took a database that does not answer for an idle one would take the workers away. */
    private static void fail(RoutingContext request, Throwable failure) {
        LOG.debugf("queues could not be looked at: %s", failure);
        send(
                request,
                UNAVAILABLE,
                JsonNodeFactory.instance.objectNode().put("error", "The database does not tell how much is queued."));
    }

    private static void send(RoutingContext request, int status, ObjectNode body) {
        var _ = request.response()
                .setStatusCode(status)
                .putHeader("Content-Type", "application/json")
                .putHeader("Cache-Control", "no-store")
                .end(Json.write(body));
    }
}
