package io.taskexec.request.spec;

import io.taskexec.model.endpoint.RetryPolicy;
import io.taskexec.request.Fields;
import io.taskexec.request.RetryWords;
import java.time.Duration;

/** Reads and checks how failed attempts are retried. */
public final class RetryPolicyRequests {
    private RetryPolicyRequests() {}

    public static RetryPolicy read(Fields fields) {
        var initial = fields.milliseconds("initial_delay_ms");
        var given = fields.optionalInteger("max_delay_ms");
        var max = given == null ? longer(RetryPolicy.DEFAULT.maxDelay(), initial) : Duration.ofMillis(given);
        if (max.compareTo(initial) < 0) {
            fields.violation("max_delay_ms", "must not be less than initial_delay_ms");
        }
        var policy = new RetryPolicy(
                fields.integer("max_attempts"),
                fields.choice("backoff", RetryPolicy.Backoff.class),
                initial,
                max,
                RetryWords.read(fields));
        fields.checkNested();
        return policy;
    }

    private static Duration longer(Duration a, Duration b) {
        return a.compareTo(b) >= 0 ? a : b;
    }
}
