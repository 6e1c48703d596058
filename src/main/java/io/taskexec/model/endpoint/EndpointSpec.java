package io.taskexec.model.endpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Defines the target of an endpoint; its strings are templates until an execution resolves them. */
public sealed interface EndpointSpec
        permits HttpSpec, KafkaSpec, RedisStreamSpec, WorkflowSpec, ApprovalSpec, EndpointSpec.Worker {
    /** The transport that this spec is for. */
    EndpointType type();

    /** The additions to the headers of each delivery; none where nothing is delivered. */
    default IdentitySpec identity() {
        return IdentitySpec.NONE;
    }

    /** The form that the API shows and the store keeps. */
    ObjectNode toJson();

    /** Reads back what {@link #toJson} wrote. */
    static EndpointSpec of(EndpointType type, JsonNode json) {
        return switch (type) {
            case HTTP -> HttpSpec.of(json);
            case KAFKA -> KafkaSpec.of(json);
            case REDIS_STREAM -> RedisStreamSpec.of(json);
            case WORKFLOW -> WorkflowSpec.of(json);
            case APPROVAL -> ApprovalSpec.of(json);
            case WORKER -> Worker.of(json);
        };
    }

    /**
     * Executions that programs ask for, which run them under leases.
     *
     * @param timeout the longest that an attempt may take with all its extensions; null for as long as it is extended
     */
    record Worker(@Nullable Duration timeout) implements EndpointSpec {
        /** The longest timeout. */
        public static final Duration LONGEST_TIMEOUT = Duration.ofDays(7);

        private static final String TIMEOUT = "timeout_ms";

        @Override
        public EndpointType type() {
            return EndpointType.WORKER;
        }

        @Override
        public ObjectNode toJson() {
            var json = JsonNodeFactory.instance.objectNode();
            return timeout == null ? json : json.put(TIMEOUT, timeout.toMillis());
        }

        /** Reads back what {@link #toJson} wrote. */
        static Worker of(JsonNode json) {
            return new Worker(
                    json.has(TIMEOUT) ? Duration.ofMillis(json.get(TIMEOUT).asLong()) : null);
        }
    }
}
