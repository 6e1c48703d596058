package io.taskexec.api.openapi;

import io.taskexec.api.filter.ReadOnlyPath;
import io.taskexec.request.RequestId;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;

/** The routes of the OpenAPI document, in each of its formats, which the framework answers to any method. */
@Singleton
final class DocumentRoute {
    private static final String PATH = "/q/openapi(?:\\.[a-z]+)?/?";

    /** After the looks at a request that are common to all, and before the routes of the framework. */
    private static final int EARLY = -1;

    private final ReadOnlyPath readOnly;

    DocumentRoute(ReadOnlyPath readOnly) {
        this.readOnly = readOnly;
    }

    void open(@Observes Router router) {
        router.routeWithRegex(PATH).order(EARLY).handler(this::check);
    }

    private void check(RoutingContext request) {
        if (readOnly.isRead(request)) {
            request.response()
                    .putHeader(
                            RequestId.HEADER, RequestId.chosen(request.request().getHeader(RequestId.HEADER)));
            request.next();
        }
    }
}
