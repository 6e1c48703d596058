package io.taskexec.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;

/**
 * Refuses bodies of more than 1 MiB with the error body that every other refusal has. The server's own limit, which
 * closes the connection without a word, is higher: it only stops what announces no length.
 */
@Singleton
final class BodyLimit {
    private static final long MAX_BYTES = 1024 * 1024;
    private static final int FIRST = 1000;

    private final ObjectMapper json;

    BodyLimit(ObjectMapper json) {
        this.json = json;
    }

    void install(@Observes Filters filters) {
        filters.register(this::checkAnnounced, FIRST);
    }

    static void check(long bytes) {
        if (bytes > MAX_BYTES) {
            throw exceeded();
        }
    }

    static ApiException exceeded() {
        return new ApiException(ErrorCode.PAYLOAD_TOO_LARGE, "The body is larger than 1 MiB.");
    }

    /** Before anything of the body is read; the connection is closed, since what is on its way is never read. */
    private void checkAnnounced(RoutingContext context) {
        try {
            var length = context.request().getHeader(HttpHeaders.CONTENT_LENGTH);
            check(length == null ? 0 : Long.parseLong(length));
        } catch (ApiException e) {
            refuse(context, e);
            return;
        }
        context.next();
    }

    private void refuse(RoutingContext context, ApiException error) {
        var id = RequestId.chosen(context.request().getHeader(RequestId.HEADER));
        var _ = context.response()
                .setStatusCode(error.code().status())
                .putHeader(HttpHeaders.CONNECTION, "close")
                .putHeader(HttpHeaders.CONTENT_TYPE, "application/json")
                .putHeader(RequestId.HEADER, id)
                .end(Buffer.buffer(write(ErrorBody.of(error, id))));
    }

    private byte[] write(ErrorBody body) {
        try {
            return json.writeValueAsBytes(body);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
