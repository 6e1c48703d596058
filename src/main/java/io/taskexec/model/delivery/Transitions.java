package io.taskexec.model.delivery;

import io.taskexec.model.endpoint.RetryPolicy;
import io.taskexec.model.job.Failure;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Decides what an outcome does to an execution: the one pure function behind every result that is written. */
public final class Transitions {
    private Transitions() {}

    /**
     * The record of an attempt that has ended in this way.
     *
     * @param jitter from 0 to 1, see {@link Backoff}
     */
    public static Transition next(Claim claim, RetryPolicy policy, Outcome outcome, double jitter) {
        return switch (outcome) {
            case Outcome.Succeeded(var output) -> new Transition.Succeed(output);
            case Outcome.PermanentFailure(var failure, var isFinal, var retryAfter) ->
                !isFinal && isRetried(policy, failure, false)
                        ? retry(claim, policy, failure, retryAfter, jitter)
                        : new Transition.Fail(failure.toJson());
            case Outcome.RetryableFailure(var failure, var retryAfter) ->
                isRetried(policy, failure, true)
                        ? retry(claim, policy, failure, retryAfter, jitter)
                        : new Transition.Fail(failure.toJson());
            case Outcome.Deferred(var terms) -> new Transition.Defer(terms);
            case Outcome.StillDeferred(var delay) -> new Transition.StayDeferred(delay);
            case Outcome.Postponed(var delay) -> new Transition.Wait(delay);
            case Outcome.Limited() -> new Transition.Park();
            case Outcome.Expired() -> new Transition.Expire();
            case Outcome.Skipped() -> new Transition.Skip();
            case Outcome.Recorded() -> new Transition.None();
            case Outcome.Interrupted(var preempted) -> new Transition.Interrupt(preempted);
            case Outcome.LeaseLost() -> new Transition.Abandon();
        };
    }

    private static boolean isRetried(RetryPolicy policy, Failure failure, boolean otherwise) {
        return policy.rules().isRetried(failure.type().name(), failure.statusCode(), otherwise);
    }

    private static Transition retry(
            Claim claim, RetryPolicy policy, Failure failure, @Nullable Duration retryAfter, double jitter) {
        var failures = claim.failures() + 1;
        if (failures >= policy.maxAttempts()) {
            return new Transition.Fail(failure.toJson());
        }
        var delay = Backoff.delay(policy, failures, jitter);
        return new Transition.RetryAfter(longer(delay, retryAfter, policy.maxDelay()), failure.toJson());
    }

    /** The receiver may ask for more time than the backoff gives, but not for more than the policy allows. */
    private static Duration longer(Duration delay, @Nullable Duration retryAfter, Duration max) {
        if (retryAfter == null || retryAfter.compareTo(delay) <= 0) {
            return delay;
        }
        return retryAfter.compareTo(max) <= 0 ? retryAfter : max;
    }
}
