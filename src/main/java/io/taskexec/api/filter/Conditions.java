package io.taskexec.api.filter;

import io.taskexec.api.web.EntityTags;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import jakarta.inject.Singleton;
import jakarta.ws.rs.Priorities;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;

/** Refuses conditions (RFC 9110, 13.1) that resources would not see, so that no write happens without its condition. */
@Singleton
final class Conditions {
    /** After authentication: who has no key is told nothing else. */
    private static final int PRIORITY = Priorities.USER + 2;

    @ServerRequestFilter(priority = PRIORITY)
    public void check(HttpServerRequest request) {
        check(request.method(), request.headers());
    }

    static void check(HttpMethod method, MultiMap headers) {
        // The framework leaves out values that are empty, such as that of a client whose variable is.
        if (headers.contains(EntityTags.IF_MATCH)
                && headers.getAll(EntityTags.IF_MATCH).stream().allMatch(String::isBlank)) {
            throw EntityTags.malformed(EntityTags.IF_MATCH);
        }
        if (headers.contains(EntityTags.IF_NONE_MATCH)
                && !method.equals(HttpMethod.GET)
                && !method.equals(HttpMethod.HEAD)) {
            throw new ApiException(
                    ErrorCode.INVALID_REQUEST, "The header If-None-Match is for GET; a write can have If-Match.");
        }
    }
}
