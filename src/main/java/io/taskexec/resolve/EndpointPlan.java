package io.taskexec.resolve;

import io.taskexec.model.Endpoint;
import io.taskexec.model.EndpointType;
import io.taskexec.model.Failure;
import io.taskexec.model.HttpSpec;
import io.taskexec.model.KafkaSpec;
import io.taskexec.model.RedisStreamSpec;
import io.taskexec.model.RetryPolicy;
import io.taskexec.template.Reference;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One version of an endpoint, prepared for its executions. */
sealed interface EndpointPlan {
    static EndpointPlan of(Endpoint endpoint) {
        return switch (endpoint.spec()) {
            case HttpSpec http -> new Deliverable(endpoint.config(), endpoint.retryPolicy(), new HttpPlan(http));
            case KafkaSpec kafka -> new Undeliverable(kafka.type());
            case RedisStreamSpec redis -> new Undeliverable(redis.type());
        };
    }

    /** An endpoint that requests can be made for. */
    record Deliverable(@Nullable String config, RetryPolicy retryPolicy, RequestPlan requests) implements EndpointPlan {
        /** The names of the secrets that it needs. */
        Set<String> secrets() {
            return Reference.secretNames(requests.references());
        }
    }

    /** An endpoint of a type that has no dispatcher yet. */
    record Undeliverable(EndpointType type) implements EndpointPlan {
        Failure failure() {
            return new Failure(
                    Failure.Type.INVALID_CONFIGURATION, "This version cannot deliver to " + type + " endpoints yet.");
        }
    }
}
