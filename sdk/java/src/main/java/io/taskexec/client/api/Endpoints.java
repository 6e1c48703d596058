package io.taskexec.client.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.client.EndpointBuilder;
import io.taskexec.client.Http;
import io.taskexec.client.Json;
import io.taskexec.client.Listing;
import io.taskexec.client.Request;
import io.taskexec.client.RetryPolicy;
import io.taskexec.client.TaskexecException;
import io.taskexec.client.model.Breaker;
import io.taskexec.client.model.Endpoint;
import io.taskexec.client.model.EndpointEvent;
import java.util.Set;

/** Endpoints, and their circuit breakers. */
public final class Endpoints extends Resources<Endpoint> {
    private static final int TRIES = 5;

    /** The fields of an answer that a request does not have. */
    private static final Set<String> GIVEN = Set.of("version", "created_at", "updated_at");

    /**
     * Made by the client.
     *
     * @param http sends its requests
     */
    public Endpoints(Http http) {
        super(http, "endpoints", Endpoint.class);
    }

    /**
     * Reads the circuit breaker of an endpoint.
     *
     * @param name its name
     * @return the breaker
     */
    public Breaker breaker(String name) {
        return http.send(Request.get("endpoints", name, "breaker"), Breaker.class);
    }

    /**
     * Closes the circuit breaker of an endpoint.
     *
     * @param name its name
     * @return the breaker
     */
    public Breaker enable(String name) {
        return http.send(Request.post("endpoints", name, "enable"), Breaker.class);
    }

    /**
     * Lists the changes of the circuit breaker of an endpoint.
     *
     * @param name its name
     * @return the list
     */
    public Listing<EndpointEvent> events(String name) {
        return http.list(Request.get("endpoints", name, "events"), EndpointEvent.class);
    }

    /**
     * Lists the versions of an endpoint, the newest first.
     *
     * @param name its name
     * @return the list
     */
    public Listing<Endpoint> versions(String name) {
        return http.list(Request.get("endpoints", name, "versions"), Endpoint.class);
    }

    /**
     * Sets the retry policy of an endpoint unless it has that one. What the policy does not name stays.
     *
     * @param name of the endpoint
     * @param policy the policy
     */
    public void setRetryPolicy(String name, RetryPolicy policy) {
        adjust(EndpointBuilder.worker(name).retry(policy), false);
    }

    /**
     * Creates an endpoint, or changes those of its fields that are given and differ. Fields that are not given stay.
     *
     * @param wanted the endpoint
     * @throws IllegalStateException when one of another type has the name
     */
    public void ensure(EndpointBuilder wanted) {
        adjust(wanted, true);
    }

    private void adjust(EndpointBuilder wanted, boolean mayCreate) {
        var name = String.valueOf(wanted.fields().get("name"));
        for (var tries = 1; ; tries++) {
            try {
                tryToAdjust(name, wanted, mayCreate);
                return;
            } catch (TaskexecException e) {
                // Another process was faster; look again.
                var wasChanged = e.is("PRECONDITION_FAILED") || e.is("CONFLICT");
                if (!wasChanged || tries == TRIES) {
                    throw e;
                }
            }
        }
    }

    private void tryToAdjust(String name, EndpointBuilder wanted, boolean mayCreate) {
        Http.Answer answer;
        try {
            answer = http.exchange(Request.get("endpoints", name));
        } catch (TaskexecException e) {
            if (!e.is("ENDPOINT_NOT_FOUND") || !mayCreate) {
                throw e;
            }
            create(wanted);
            return;
        }
        var tag = answer.headers().firstValue("ETag").orElse("*");
        var current = (ObjectNode) answer.body();
        current.remove(GIVEN);
        if ("WORKER".equals(current.path("type").asText())) {
            // It has its own, which a request may not name.
            current.remove("queue");
        }
        var changed = current.deepCopy();
        merge(changed, fields(wanted, mayCreate));
        if (mayCreate && !changed.path("type").equals(current.path("type"))) {
            throw new IllegalStateException("The endpoint '%s' has the type %s."
                    .formatted(name, current.path("type").asText()));
        }
        if (!changed.equals(current)) {
            http.send(Request.of("PUT", "endpoints", name).body(changed).header("If-Match", tag));
        }
    }

    /** Without its type and spec when only other fields are to change. */
    private static ObjectNode fields(EndpointBuilder wanted, boolean isWhole) {
        var fields = (ObjectNode) Json.sent(wanted);
        return isWhole ? fields : fields.remove(Set.of("type", "spec"));
    }

    private static void merge(ObjectNode target, JsonNode source) {
        source.properties().forEach(field -> {
            if (field.getValue().isObject() && target.path(field.getKey()).isObject()) {
                merge((ObjectNode) target.get(field.getKey()), field.getValue());
            } else if (!target.path(field.getKey()).equals(field.getValue())) {
                target.set(field.getKey(), field.getValue());
            }
        });
    }
}
