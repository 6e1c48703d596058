package io.taskexec.model.delivery;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.wait.DeferralTerms;
import java.time.Duration;

/** The record of an attempt; each case is one guarded statement of the store. */
public sealed interface Transition {
    /**
     * The execution ends well.
     *
     * @param reported whether its endpoint names one that gets the result
     */
    record Succeed(JsonNode output, boolean reported) implements Transition {
        public Succeed(JsonNode output) {
            this(output, false);
        }
    }

    /** The execution ends badly, which the endpoint that is named for it is told of. */
    record Fail(JsonNode error) implements Transition {}

    /** The attempt failed; the next one is due after {@code delay}. */
    record RetryAfter(Duration delay, JsonNode error) implements Transition {}

    /** The attempt was delivered, and waits for its receiver without a lease. */
    record Defer(DeferralTerms terms) implements Transition {}

    /** It goes on waiting: a worker looks at it again after {@code delay}. */
    record StayDeferred(Duration delay) implements Transition {}

    /** No attempt was made: the execution is due again after {@code delay}, as if it had not been claimed. */
    record Wait(Duration delay) implements Transition {}

    /** No attempt was made: the execution waits for a place of the limit of its endpoint. */
    record Park() implements Transition {}

    /** No attempt was made, and none will be: the execution ends as if it had not been claimed. */
    record Expire() implements Transition {}

    /** No attempt was made, and none will be: the condition of the job does not hold. */
    record Skip() implements Transition {}

    /**
     * The attempt was cut short and the next one is due at once.
     *
     * @param preempted whether it gave up its slot; otherwise its worker shuts down
     */
    record Interrupt(boolean preempted) implements Transition {
        public Interrupt() {
            this(false);
        }
    }

    /** Nothing is left to be recorded. */
    record None() implements Transition {}

    /** Nothing is recorded: the lease is not ours any more. */
    record Abandon() implements Transition {}
}
