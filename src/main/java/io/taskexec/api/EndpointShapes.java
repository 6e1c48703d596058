package io.taskexec.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The parts of an endpoint as the OpenAPI document shows them; {@link EndpointRequests} is what reads them. */
final class EndpointShapes {
    private EndpointShapes() {}

    /** Where and how an HTTP endpoint is called. */
    @Schema(name = "HttpSpec")
    record Http(
            @Schema(maxLength = EndpointRequests.MAX_URL, description = "A template.")
            String url,

            EndpointRequests.Method method,

            @Schema(maxProperties = EndpointRequests.MAX_HEADERS, description = "Names to templates.") @Nullable
            Map<String, String> headers,

            @Schema(description = "Any JSON; its strings are templates.") @Nullable
            JsonNode bodyTemplate,

            @Schema(minimum = "1", maximum = "3600000", defaultValue = "30000") @Nullable
            Integer timeoutMs,

            @Schema(
                    minItems = 1,
                    maxItems = EndpointRequests.MAX_EXPECTED,
                    description = "200 to 599; default 200, 201, 202, 204.")
            @Nullable
            List<Integer> expectedStatusCodes) {}

    /** How often and how soon a failed attempt is followed by another. */
    @Schema(name = "RetryPolicy")
    record Retry(
            @Schema(minimum = "1", maximum = "1000", defaultValue = "1") @Nullable
            Integer maxAttempts,

            @Schema(
                    enumeration = {"fixed", "linear", "exponential"},
                    defaultValue = "exponential")
            @Nullable
            String backoff,

            @Schema(minimum = "0", maximum = "604800000", defaultValue = "1000") @Nullable
            Integer initialDelayMs,

            @Schema(minimum = "0", maximum = "604800000") @Nullable
            Integer maxDelayMs) {}
}
