package io.taskexec.model.delivery;

import io.taskexec.model.endpoint.HttpAccess;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP request with nothing left to resolve.
 *
 * @param uri absolute, http or https
 * @param headers in the order they are sent
 * @param body UTF-8 JSON text, or null for no body
 * @param timeout bound on the whole call
 * @param access the credentials that the receiver is shown beside the headers, if any
 */
public record HttpCall(
        URI uri,
        String method,
        Map<String, String> headers,
        @Nullable String body,
        Duration timeout,
        List<Integer> expectedStatusCodes,
        @Nullable HttpAccess access)
        implements DispatchRequest {
    /** Without credentials. */
    public HttpCall(
            URI uri,
            String method,
            Map<String, String> headers,
            @Nullable String body,
            Duration timeout,
            List<Integer> expectedStatusCodes) {
        this(uri, method, headers, body, timeout, expectedStatusCodes, null);
    }

    @Override
    public HttpCall withTimeout(Duration other) {
        return new HttpCall(uri, method, headers, body, other, expectedStatusCodes, access);
    }

    @Override
    public HttpCall within(Duration bound) {
        return timeout.compareTo(bound) <= 0 ? this : withTimeout(bound);
    }
}
