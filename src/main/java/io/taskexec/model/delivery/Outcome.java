package io.taskexec.model.delivery;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.Json;
import io.taskexec.model.job.Failure;
import io.taskexec.model.wait.DeferralTerms;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The outcome of an attempt; errors are values here, never exceptions. */
public sealed interface Outcome {
    /** Delivered; {@code output} is the answer of the transport. */
    record Succeeded(JsonNode output) implements Outcome {}

    /** Failed, and another attempt may succeed; {@code retryAfter} is the time that the receiver asks us to wait. */
    record RetryableFailure(Failure failure, @Nullable Duration retryAfter) implements Outcome {}

    /**
     * Failed, and another attempt would fail in the same way.
     *
     * @param isFinal whether the receiver forbids another attempt, whatever the retry policy says
     * @param retryAfter the time that the receiver asks us to wait, where the policy makes another attempt
     */
    record PermanentFailure(
            Failure failure, boolean isFinal, @Nullable Duration retryAfter) implements Outcome {
        public PermanentFailure(Failure failure) {
            this(failure, false);
        }

        public PermanentFailure(Failure failure, boolean isFinal) {
            this(failure, isFinal, null);
        }
    }

    /** Not begun: the condition of the job does not hold. */
    record Skipped() implements Outcome {}

    /** The run of a workflow: it was moved on, and its result is recorded already. */
    record Recorded() implements Outcome {}

    /** Delivered, and the receiver says later how it ends. */
    record Deferred(DeferralTerms terms) implements Outcome {}

    /** Deferred before, and it goes on waiting: a worker looks at it again after {@code delay}. */
    record StillDeferred(Duration delay) implements Outcome {}

    /** Not begun: the circuit breaker of the endpoint is open, and may let an attempt through after {@code delay}. */
    record Postponed(Duration delay) implements Outcome {}

    /** Not begun: it waits for a place of the limit of its endpoint. */
    record Limited() implements Outcome {}

    /** Not begun: its time to begin is over. */
    record Expired() implements Outcome {}

    /**
     * Cut short, which is not the receiver's fault.
     *
     * @param preempted whether it gave up its slot; otherwise its worker shuts down
     */
    record Interrupted(boolean preempted) implements Outcome {
        public Interrupted() {
            this(false);
        }
    }

    /** The lease ended or went to another worker, so that nothing is recorded of this attempt. */
    record LeaseLost() implements Outcome {}

    /** The same outcome with {@code redact} applied to every text that came from outside. */
    default Outcome redacted(UnaryOperator<String> redact) {
        return switch (this) {
            case Succeeded(var output) -> new Succeeded(Json.mapAll(output, redact));
            case RetryableFailure(var failure, var retryAfter) ->
                new RetryableFailure(failure.redacted(redact), retryAfter);
            case PermanentFailure(var failure, var isFinal, var retryAfter) ->
                new PermanentFailure(failure.redacted(redact), isFinal, retryAfter);
            case Deferred _,
                    StillDeferred _,
                    Postponed _,
                    Limited _,
                    Expired _,
                    Skipped _,
                    Recorded _,
                    Interrupted _,
                    LeaseLost _ -> this;
        };
    }
}
