package io.taskexec.api.web;

import io.quarkus.vertx.http.runtime.filters.Filters;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.RequestBodies;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import org.jspecify.annotations.Nullable;

/**
 * Refuses a body that is declared as too large or as compressed, with the API's error and before it is read. A body
 * without a declared length is read first, up to the server's own limit.
 */
@Singleton
final class BodyLimit {
    /** Filters with a higher number run earlier; the server checks its own limit without a number of this kind. */
    private static final int EARLY = 10_000;

    private final PreRoutingErrors errors;

    BodyLimit(PreRoutingErrors errors) {
        this.errors = errors;
    }

    void register(@Observes Filters filters) {
        var _ = filters.register(this::check, EARLY).register(BodyLimit::ignoreMediaTypes, EARLY + 1);
    }

    /** The API has JSON alone, whatever is asked for; the framework fails on a header that names no media type. */
    private static void ignoreMediaTypes(RoutingContext context) {
        if (!context.request().uri().startsWith("/q/")
                && !"/".equals(context.request().path())
                && !isForPeople(String.valueOf(context.request().path()))) {
            context.request().headers().remove("Accept").remove("Content-Type");
        }
        context.next();
    }

    private static boolean isForPeople(String path) {
        return path.startsWith("/approve/") || path.startsWith("/ui/");
    }

    private void check(RoutingContext context) {
        if (isTooLarge(context.request().getHeader("Content-Length"))) {
            // The rest of the connection is the refused body.
            context.response().putHeader("Connection", "close");
            errors.write(context, RequestBodies.tooLarge());
        } else if (isEncoded(context.request().getHeader("Content-Encoding"))) {
            errors.write(
                    context,
                    new ApiException(
                            ErrorCode.INVALID_REQUEST,
                            "Content-Encoding '%s' is not supported: send the body without compression."
                                    .formatted(context.request().getHeader("Content-Encoding"))));
        } else {
            context.next();
        }
    }

    private static boolean isEncoded(@Nullable String encoding) {
        return encoding != null && !encoding.isBlank() && !encoding.equalsIgnoreCase("identity");
    }

    private static boolean isTooLarge(@Nullable String length) {
        try {
            return length != null && Long.parseLong(length) > RequestBodies.MAX_BYTES;
        } catch (NumberFormatException _) {
            return false;
        }
    }
}
