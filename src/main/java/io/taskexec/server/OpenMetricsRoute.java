package io.taskexec.server;

import io.quarkus.vertx.http.ManagementInterface;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;

/**
 * Answers with OpenMetrics to clients that ask for it, as Prometheus does. The framework would give that to who takes
 * anything, and refuse those who name it.
 */
@Singleton
final class OpenMetricsRoute {
    void open(@Observes ManagementInterface management) {
        management.router().get("/q/metrics").order(Integer.MIN_VALUE).handler(OpenMetricsRoute::negotiate);
    }

    private static void negotiate(RoutingContext request) {
        var headers = request.request().headers();
        var accept = headers.get(HttpHeaders.ACCEPT);
        if (accept != null && accept.contains("application/openmetrics-text")) {
            var _ = headers.set(HttpHeaders.ACCEPT, "*/*");
        }
        request.next();
    }
}
