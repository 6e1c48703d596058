package io.taskexec.resolve;

import io.taskexec.model.endpoint.RetryPolicy;
import io.taskexec.model.wait.Completion;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The settings by which the result of an attempt is recorded that was delivered before.
 *
 * @param reported whether a success is reported to another endpoint
 * @param redact removes the secrets of the endpoint from what comes back
 * @param completion how receivers may complete attempts; null when they may not
 */
public record ResultSettings(
        RetryPolicy policy,
        boolean reported,
        UnaryOperator<String> redact,
        @Nullable Completion completion) {
    /** Of an endpoint that is gone, or that cannot be read. */
    public static final ResultSettings DEFAULT =
            new ResultSettings(RetryPolicy.DEFAULT, false, Resolution.Ready.NOTHING_SECRET, null);
}
