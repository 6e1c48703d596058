package io.taskexec.api.filter;

import io.quarkus.vertx.http.runtime.filters.Filters;
import io.taskexec.api.web.Errors;
import io.taskexec.api.web.PreRoutingErrors;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.regex.Pattern;

/** Refuses requests whose host, path or query no resource can do anything with. */
@Singleton
final class RequestTarget {
    /** Before the body is looked at. */
    private static final int EARLY = 10_002;

    private static final String NUL = "%00";

    /**
     * The router leaves out '.', '..' with the segment before it, empty segments, and what follows a ';' in one. What
     * is left may name something else.
     */
    private static final Pattern LEFT_OUT = Pattern.compile("/(?:\\.|%2[eE]){1,2}(?:/|$)|(?<!^https?:)//|;");

    /** The last segment of these paths is a key, which may end with '/' itself. */
    private static final String ENDPOINTS = "/endpoints/";

    private static final String KEYS = "/keys/";

    private final PreRoutingErrors errors;

    RequestTarget(PreRoutingErrors errors) {
        this.errors = errors;
    }

    void register(@Observes Filters filters) {
        var _ = filters.register(this::check, EARLY);
    }

    /**
     * The router fails by itself on a request without a host or with a malformed path. It asks the failure handlers
     * of its routes in their order, and the framework's, which is the last, calls each such request an error in the
     * log.
     */
    void explainFailures(@Observes Router router) {
        var _ = router.route().order(Integer.MIN_VALUE).failureHandler(this::explain);
    }

    private void explain(RoutingContext context) {
        switch (context.statusCode()) {
            case 400 -> refuse(context, "The host or the path of the request is missing or malformed.");
            case 404 -> errors.write(context, Errors.nothingThere());
            default -> context.next();
        }
    }

    /** The database has no text with a NUL, so nothing can be found by one. */
    private void check(RoutingContext context) {
        var uri = context.request().uri();
        if (uri.contains(NUL)) {
            refuse(context, "The path and the query must not contain NUL characters.");
        } else if (mayNameAnother(uri)) {
            refuse(
                    context,
                    "The path must not contain the segments '.' and '..', empty segments, or ';', unless it is"
                            + " percent-encoded.");
        } else {
            context.next();
        }
    }

    static boolean mayNameAnother(String uri) {
        var query = uri.indexOf('?');
        var path = query < 0 ? uri : uri.substring(0, query);
        return LEFT_OUT.matcher(path).find()
                || (path.endsWith("/") && path.startsWith(ENDPOINTS) && path.contains(KEYS));
    }

    private void refuse(RoutingContext context, String message) {
        errors.write(context, new ApiException(ErrorCode.INVALID_REQUEST, message));
    }
}
