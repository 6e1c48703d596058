package io.taskexec.resolve;

import io.taskexec.model.Endpoint;
import io.taskexec.model.EndpointType;
import io.taskexec.model.Failure;
import io.taskexec.model.HttpSpec;
import io.taskexec.model.IdentitySpec;
import io.taskexec.model.KafkaSpec;
import io.taskexec.model.RedisStreamSpec;
import io.taskexec.model.RetryPolicy;
import io.taskexec.store.UnreadableException;
import io.taskexec.template.Reference;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One version of an endpoint, prepared for its executions. */
sealed interface EndpointPlan {
    /** Longer than any time that an endpoint can be registered with, and short enough to calculate with. */
    Duration LONGEST = Duration.ofDays(366);

    /** Throws UnreadableException when what is stored is nothing that can have been registered. */
    static EndpointPlan of(Endpoint endpoint) {
        try {
            return switch (endpoint.spec()) {
                case HttpSpec http -> deliverable(endpoint, http.timeout(), new HttpPlan(http));
                case KafkaSpec kafka -> new Undeliverable(kafka.type());
                case RedisStreamSpec redis -> deliverable(endpoint, redis.timeout(), new RedisPlan(redis));
            };
        } catch (RuntimeException e) {
            throw new UnreadableException(
                    "Version %d of endpoint %s".formatted(endpoint.version(), endpoint.name()), e);
        }
    }

    private static EndpointPlan deliverable(Endpoint endpoint, Duration timeout, RequestPlan requests) {
        var policy = endpoint.retryPolicy();
        check("timeout_ms", timeout, Duration.ofMillis(1));
        check("initial_delay_ms", policy.initialDelay(), Duration.ZERO);
        check("max_delay_ms", policy.maxDelay(), Duration.ZERO);
        var reported = endpoint.callbacks().onSuccess() != null;
        return new Deliverable(
                endpoint.config(), policy, reported, requests, endpoint.spec().identity());
    }

    private static void check(String name, Duration time, Duration shortest) {
        if (time.compareTo(shortest) < 0 || time.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(name + " is " + time.toMillis());
        }
    }

    /**
     * An endpoint that requests can be made for.
     *
     * @param reported whether another endpoint gets the outputs of its executions
     */
    record Deliverable(
            @Nullable String config,
            RetryPolicy retryPolicy,
            boolean reported,
            RequestPlan requests,
            IdentitySpec identity)
            implements EndpointPlan {
        /** The names of the secrets that it needs. */
        Set<String> secrets() {
            var referred = Reference.secretNames(requests.references());
            if (identity.signingSecrets().isEmpty()) {
                return referred;
            }
            var all = new HashSet<>(referred);
            all.addAll(identity.signingSecrets());
            return all;
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
