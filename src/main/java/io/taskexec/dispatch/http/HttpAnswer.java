package io.taskexec.dispatch.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.dispatch.delivery.PlainText;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.job.Failure;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer of a receiver.
 *
 * @param reason the words after the status code, as the receiver chose them
 * @param retryAfter how long the receiver asks us to wait, if it does
 * @param noRetry whether the receiver forbids another attempt
 * @param truncated whether {@code body} is only the beginning
 */
record HttpAnswer(
        int status, String reason, @Nullable Duration retryAfter, boolean noRetry, String body, boolean truncated) {
    static final int PROXY_DEMANDS = 407;

    private static final int OK = 200;
    private static final int REQUEST_TIMEOUT = 408;
    private static final int TOO_EARLY = 425;
    private static final int TOO_MANY_REQUESTS = 429;

    /** The outcome of the attempt: a success when the answer was expected, else a retryable or permanent failure. */
    Outcome classify(List<Integer> expected) {
        if (expected.contains(status)) {
            return new Outcome.Succeeded(output());
        }
        return mayPass(status) && !noRetry
                ? new Outcome.RetryableFailure(failure(), retryAfter)
                : new Outcome.PermanentFailure(failure(), noRetry, retryAfter);
    }

    /** Whether the connection has another answer to come. */
    static boolean isInterim(int status) {
        return status < OK;
    }

    /** Whether a status that is not expected is worth a retry. */
    static boolean mayPass(int status) {
        return switch (status) {
            case REQUEST_TIMEOUT, TOO_EARLY, TOO_MANY_REQUESTS -> true;
            // An interim answer, which the client takes for the last one: what the receiver makes of the call is
            // unknown.
            default -> isInterim(status) || (status >= 500 && status <= 599);
        };
    }

    private ObjectNode output() {
        var output = JsonNodeFactory.instance.objectNode();
        output.put("status_code", status);
        output.put("body", body);
        if (truncated) {
            output.put("truncated", true);
        }
        return output;
    }

    private Failure failure() {
        var message = PlainText.of("HTTP " + status + " " + reason).strip();
        return new Failure(Failure.Type.HTTP_ERROR, message, status, body);
    }
}
