package io.taskexec.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP target as registered.
 *
 * @param url a template
 * @param method an upper-case method name
 * @param headers names to templates, in the order given
 * @param bodyTemplate a JSON tree whose strings are templates, or null for no body
 * @param timeout bound on the whole call, from connect to the last byte kept
 * @param expectedStatusCodes the status codes that mean success
 */
public record HttpSpec(
        String url,
        String method,
        Map<String, String> headers,
        @Nullable JsonNode bodyTemplate,
        Duration timeout,
        List<Integer> expectedStatusCodes)
        implements EndpointSpec {
    /** The timeout of an endpoint that names none. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);

    /** What counts as success for an endpoint that does not say. */
    public static final List<Integer> DEFAULT_EXPECTED = List.of(200, 201, 202, 204);

    @Override
    public EndpointType type() {
        return EndpointType.HTTP;
    }
}
