package io.taskexec.resolve;

import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.endpoint.RetryPolicy;
import io.taskexec.model.job.Failure;
import io.taskexec.store.execution.LeaseStore;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The outcome of a claim that is not run, with the policy that decides what follows. */
public record RefusedClaim(Outcome outcome, RetryPolicy policy) {
    /** Of what has nothing to do with the receiver. */
    public static final RetryPolicy OWN_POLICY =
            new RetryPolicy(5, RetryPolicy.Backoff.EXPONENTIAL, Duration.ofSeconds(1), Duration.ofMinutes(1));

    private static final RefusedClaim EXPIRED = new RefusedClaim(new Outcome.Expired(), RetryPolicy.DEFAULT);

    /** Returns null when it can be run, as far as the claim says. */
    public static @Nullable RefusedClaim of(Claim claim, boolean isExpired) {
        var isGivenUp = claim.rescues() > LeaseStore.MAX_RESCUES;
        // What is given up fails: its receiver may have got it.
        if (isExpired && !isGivenUp) {
            return EXPIRED;
        }
        var unreadable = claim.unreadable();
        if (unreadable != null) {
            return retryable(new Failure(Failure.Type.UNREADABLE, unreadable));
        }
        return isGivenUp ? givenUp(claim) : null;
    }

    /** An administrator may repair it, another version may read it, or its check may end in time. */
    public static RefusedClaim retryable(Failure failure) {
        return new RefusedClaim(new Outcome.RetryableFailure(failure, null), OWN_POLICY);
    }

    /** Another attempt would fail as well. */
    public static RefusedClaim permanent(Failure failure) {
        return new RefusedClaim(new Outcome.PermanentFailure(failure), RetryPolicy.DEFAULT);
    }

    private static RefusedClaim givenUp(Claim claim) {
        if (claim.rescues() == LeaseStore.NOT_RESCUED) {
            return permanent(notRepeated(Failure.Type.WORKER_LOST, "The worker was lost", claim));
        }
        var message = "Given up: %d workers died or lost their lease while running it.".formatted(claim.rescues());
        return permanent(new Failure(Failure.Type.WORKER_LOST, message));
    }

    /** The failure of an execution that must not be delivered twice. */
    public static Failure notRepeated(Failure.Type type, String reason, Claim claim) {
        var message = "%s during attempt %d; on_worker_lost is 'fail', so it is not delivered again."
                .formatted(reason, claim.attempt());
        return new Failure(type, message);
    }
}
