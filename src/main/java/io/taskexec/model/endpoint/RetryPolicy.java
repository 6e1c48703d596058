package io.taskexec.model.endpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.model.Option;
import java.time.Duration;
import java.util.Locale;

/**
 * Decides how often and how soon a failed attempt is retried.
 *
 * @param maxAttempts attempts in all, the first included; lost and interrupted ones do not count
 * @param backoff how the delay grows
 * @param initialDelay delay before the second attempt
 * @param maxDelay upper bound of every delay
 * @param rules which failures are retried
 */
public record RetryPolicy(
        int maxAttempts, Backoff backoff, Duration initialDelay, Duration maxDelay, RetryRules rules) {
    /** Without rules of its own. */
    public RetryPolicy(int maxAttempts, Backoff backoff, Duration initialDelay, Duration maxDelay) {
        this(maxAttempts, backoff, initialDelay, maxDelay, RetryRules.NONE);
    }

    /** The same with other rules, if there are any. */
    public RetryPolicy with(RetryRules others) {
        return others.isNone() ? this : new RetryPolicy(maxAttempts, backoff, initialDelay, maxDelay, others);
    }

    /** The policy of an endpoint that states none: one attempt. */
    public static final RetryPolicy DEFAULT =
            new RetryPolicy(1, Backoff.EXPONENTIAL, Duration.ofSeconds(1), Duration.ofMinutes(1));

    /** The form that the API shows and the store keeps. */
    public ObjectNode toJson() {
        var json = JsonNodeFactory.instance
                .objectNode()
                .put("max_attempts", maxAttempts)
                .put("backoff", backoff.word())
                .put("initial_delay_ms", initialDelay.toMillis())
                .put("max_delay_ms", maxDelay.toMillis());
        rules.addTo(json);
        return json;
    }

    /** Reads back what {@link #toJson} wrote. */
    public static RetryPolicy of(JsonNode json) {
        return new RetryPolicy(
                json.path("max_attempts").intValue(),
                Backoff.valueOf(json.path("backoff").asText().toUpperCase(Locale.ROOT)),
                Duration.ofMillis(json.path("initial_delay_ms").longValue()),
                Duration.ofMillis(json.path("max_delay_ms").longValue()),
                RetryRules.of(json));
    }

    /** The growth of the delay from attempt to attempt. */
    public enum Backoff implements Option {
        FIXED,
        LINEAR,
        EXPONENTIAL
    }
}
