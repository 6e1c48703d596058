package io.taskexec.model.delivery;

import io.taskexec.model.endpoint.HttpAccess;
import io.taskexec.model.wait.Completion;
import io.taskexec.model.wait.Origin;
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
 * @param completion how the receiver may answer with the result later; null when it may not
 * @param sentOnce whether it may never reach the receiver twice, not even after a reused connection was closed
 */
public record HttpCall(
        URI uri,
        String method,
        Map<String, String> headers,
        @Nullable String body,
        Duration timeout,
        List<Integer> expectedStatusCodes,
        @Nullable HttpAccess access,
        @Nullable Completion completion,
        boolean sentOnce)
        implements DispatchRequest {
    /** The answer of a receiver that has no result yet (RFC 9110, 15.3.3). */
    public static final int ACCEPTED = 202;

    private static final int OK = 200;

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

    /** Whose receiver answers with the result. */
    public HttpCall(
            URI uri,
            String method,
            Map<String, String> headers,
            @Nullable String body,
            Duration timeout,
            List<Integer> expectedStatusCodes,
            @Nullable HttpAccess access) {
        this(uri, method, headers, body, timeout, expectedStatusCodes, access, null, false);
    }

    /** The same call, whose receiver may answer with the result later. */
    public HttpCall deferrable(Completion terms) {
        return new HttpCall(uri, method, headers, body, timeout, expectedStatusCodes, access, terms, sentOnce);
    }

    /** The same call, which may never reach the receiver twice. */
    public HttpCall once() {
        return new HttpCall(uri, method, headers, body, timeout, expectedStatusCodes, access, completion, true);
    }

    /**
     * The call that asks a receiver for the result of this one. One of another origin gets neither its headers nor its
     * credentials. An answer with 202 is not expected: there is no result yet.
     */
    public HttpCall poll(URI location) {
        var codes =
                expectedStatusCodes.stream().filter(code -> code != ACCEPTED).toList();
        var expected = codes.isEmpty() ? List.of(OK) : codes;
        return isOfOrigin(location)
                ? new HttpCall(location, "GET", headers, null, timeout, expected, access)
                : new HttpCall(location, "GET", Map.of(), null, timeout, expected, null);
    }

    /** Whether a URL has the origin of this call. */
    public boolean isOfOrigin(URI url) {
        return Origin.of(url).equals(Origin.of(uri));
    }

    @Override
    public HttpCall withTimeout(Duration other) {
        return new HttpCall(uri, method, headers, body, other, expectedStatusCodes, access, completion, sentOnce);
    }

    /** The same call with a timeout of at most {@code bound}. */
    public HttpCall within(Duration bound) {
        return timeout.compareTo(bound) <= 0 ? this : withTimeout(bound);
    }
}
