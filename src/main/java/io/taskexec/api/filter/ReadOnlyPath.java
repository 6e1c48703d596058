package io.taskexec.api.filter;

import io.taskexec.api.web.PreRoutingErrors;
import io.taskexec.api.web.Routes;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.RequestId;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.RoutingContext;
import jakarta.inject.Singleton;

/** Answers requests for a page that can only be read, unless they read it. */
@Singleton
public final class ReadOnlyPath {
    private static final String ALLOWED = "GET, HEAD, OPTIONS";
    private static final int NO_CONTENT = 204;

    private final PreRoutingErrors errors;

    ReadOnlyPath(PreRoutingErrors errors) {
        this.errors = errors;
    }

    /** Whether the request is left to the page; otherwise it has its answer. */
    public boolean isRead(RoutingContext request) {
        var method = request.request().method();
        if (method.equals(HttpMethod.GET) || method.equals(HttpMethod.HEAD)) {
            return true;
        }
        var response = request.response().putHeader(Routes.ALLOW, ALLOWED);
        if (method.equals(HttpMethod.OPTIONS)) {
            var _ = response.setStatusCode(NO_CONTENT)
                    .putHeader(
                            RequestId.HEADER, RequestId.chosen(request.request().getHeader(RequestId.HEADER)))
                    .end();
        } else {
            errors.write(request, new ApiException(ErrorCode.METHOD_NOT_ALLOWED, "This path can only be read."));
        }
        return false;
    }
}
