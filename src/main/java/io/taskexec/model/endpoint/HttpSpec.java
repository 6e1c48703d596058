package io.taskexec.model.endpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.model.Json;
import java.time.Duration;
import java.util.ArrayList;
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
 * @param identity what is added to the identity of each delivery
 * @param access how a receiver is shown who calls, if it is, beside what the headers say
 */
public record HttpSpec(
        String url,
        String method,
        Map<String, String> headers,
        @Nullable JsonNode bodyTemplate,
        Duration timeout,
        List<Integer> expectedStatusCodes,
        IdentitySpec identity,
        @Nullable HttpAccess access)
        implements EndpointSpec {
    /** The timeout of an endpoint that names none. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);

    /** The default success codes of an endpoint. */
    public static final List<Integer> DEFAULT_EXPECTED = List.of(200, 201, 202, 204);

    /** The methods of an outgoing call. */
    public enum Method {
        GET,
        POST,
        PUT,
        PATCH,
        DELETE
    }

    /** Without anything to show. */
    public HttpSpec(
            String url,
            String method,
            Map<String, String> headers,
            @Nullable JsonNode bodyTemplate,
            Duration timeout,
            List<Integer> expectedStatusCodes,
            IdentitySpec identity) {
        this(url, method, headers, bodyTemplate, timeout, expectedStatusCodes, identity, null);
    }

    /** The same, signed by secrets of these names. */
    public HttpSpec signedBy(List<String> secrets) {
        return new HttpSpec(
                url,
                method,
                headers,
                bodyTemplate,
                timeout,
                expectedStatusCodes,
                new IdentitySpec(secrets, identity.eventType()),
                access);
    }

    @Override
    public EndpointType type() {
        return EndpointType.HTTP;
    }

    @Override
    public ObjectNode toJson() {
        var json = JsonNodeFactory.instance.objectNode();
        json.put("url", url).put("method", method);
        headers.forEach(json.putObject("headers")::put);
        if (bodyTemplate != null) {
            json.set("body_template", bodyTemplate);
        }
        json.put("timeout_ms", timeout.toMillis());
        expectedStatusCodes.forEach(json.putArray("expected_status_codes")::add);
        identity.addTo(json);
        if (access != null) {
            access.addTo(json);
        }
        return json;
    }

    /** Reads back what {@link #toJson} wrote. */
    public static HttpSpec of(JsonNode json) {
        var expected = new ArrayList<Integer>();
        json.path("expected_status_codes").forEach(code -> expected.add(code.intValue()));
        return new HttpSpec(
                json.path("url").asText(),
                json.path("method").asText(),
                Json.texts(json.path("headers")),
                json.get("body_template"),
                Duration.ofMillis(json.path("timeout_ms").longValue()),
                expected,
                IdentitySpec.of(json),
                HttpAccess.of(json));
    }
}
