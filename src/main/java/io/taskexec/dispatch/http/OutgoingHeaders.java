package io.taskexec.dispatch.http;

import io.taskexec.dispatch.delivery.CloudEventBinding;
import io.taskexec.dispatch.delivery.DeliveryHeaders;
import io.taskexec.model.delivery.Delivery;
import io.taskexec.model.delivery.HttpCall;
import io.taskexec.model.endpoint.HeaderRules;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The headers of an outgoing request: those of ours that the user has not set, then the user's. Of what identifies a
 * delivery, a user can only have set a header that was not reserved yet when the endpoint was registered.
 */
final class OutgoingHeaders {
    private static final Set<String> BODY_EXPECTED = Set.of("POST", "PUT", "PATCH");

    private OutgoingHeaders() {}

    /**
     * The headers of {@code call}.
     *
     * @throws InvalidCallException when the user's headers break {@link HeaderRules}
     */
    static Map<String, String> of(HttpCall call, Delivery delivery, String userAgent) {
        var own = call.headers();
        var violation = HeaderRules.violation(own);
        if (violation != null) {
            throw new InvalidCallException(violation);
        }
        var headers = DeliveryHeaders.of(delivery, call.body(), CloudEventBinding.HTTP);
        headers.put("User-Agent", userAgent);
        if (call.body() != null) {
            headers.put("Content-Type", "application/json");
        } else if (BODY_EXPECTED.contains(call.method())) {
            // RFC 9110, 8.6; Vert.x leaves it out, and some servers answer 411 then.
            headers.put("Content-Length", "0");
        }
        if (!own.isEmpty()) {
            var names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
            names.addAll(own.keySet());
            headers.keySet().removeIf(names::contains);
            headers.putAll(own);
        }
        return headers;
    }
}
