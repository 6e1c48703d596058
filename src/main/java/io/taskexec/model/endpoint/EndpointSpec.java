package io.taskexec.model.endpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Defines the target of an endpoint; its strings are templates until an execution resolves them. */
public sealed interface EndpointSpec permits HttpSpec, KafkaSpec, RedisStreamSpec, WorkflowSpec, ApprovalSpec {
    /** The transport that this spec is for. */
    EndpointType type();

    /** The additions to the headers of each delivery. */
    IdentitySpec identity();

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
        };
    }
}
