package io.taskexec.dispatch.http;

import io.taskexec.dispatch.delivery.CloudEventBinding;
import io.taskexec.dispatch.delivery.DeliveryHeaders;
import io.taskexec.model.delivery.Delivery;
import io.taskexec.model.delivery.HttpCall;
import io.taskexec.model.endpoint.HeaderRules;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The headers of an outgoing request: the user's, then those of ours that the user has not set. Of what identifies a
 * delivery, that can only be a header that was not reserved yet when the endpoint was registered.
 */
final class OutgoingHeaders {
    private static final Set<String> BODY_EXPECTED = Set.of("POST", "PUT", "PATCH");

    /** Those that nearly every request has, with their hash: it is asked for again with each copy of them. */
    private static final Map<String, CharSequence> USUAL = Stream.of(
                    "User-Agent",
                    "Content-Type",
                    "Idempotency-Key",
                    "Taskexec-Execution-Id",
                    "Taskexec-Job-Id",
                    "Taskexec-Attempt",
                    "Taskexec-Scheduled-For",
                    "traceparent")
            .collect(Collectors.toUnmodifiableMap(Function.identity(), HttpHeaders::createOptimized));

    private OutgoingHeaders() {}

    /**
     * The headers of {@code call}.
     *
     * @throws InvalidCallException when the user's headers break {@link HeaderRules}
     */
    static MultiMap of(HttpCall call, Delivery delivery, String userAgent) {
        var violation = HeaderRules.violation(call.headers());
        if (violation != null) {
            throw new InvalidCallException(violation);
        }
        var headers = MultiMap.caseInsensitiveMultiMap().setAll(call.headers());
        setIfAbsent(headers, "User-Agent", userAgent);
        if (call.body() != null) {
            setIfAbsent(headers, "Content-Type", "application/json");
        } else if (BODY_EXPECTED.contains(call.method())) {
            // RFC 9110, 8.6; Vert.x leaves it out, and some servers answer 411 then.
            headers.set("Content-Length", "0");
        }
        DeliveryHeaders.of(delivery, call.body(), CloudEventBinding.HTTP)
                .forEach((name, value) -> setIfAbsent(headers, name, value));
        return headers;
    }

    private static void setIfAbsent(MultiMap headers, String name, String value) {
        var hashed = USUAL.getOrDefault(name, name);
        if (!headers.contains(hashed)) {
            headers.set(hashed, value);
        }
    }
}
