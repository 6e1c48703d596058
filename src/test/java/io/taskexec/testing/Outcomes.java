package io.taskexec.testing;

import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.job.Failure;

/** Looks into outcomes of attempts. */
public final class Outcomes {
    private Outcomes() {}

    /** Why an attempt failed, whether there is another one or not. */
    public static Failure failure(Outcome outcome) {
        return switch (outcome) {
            case Outcome.RetryableFailure it -> it.failure();
            case Outcome.PermanentFailure it -> it.failure();
            case Outcome.Succeeded _,
                    Outcome.Deferred _,
                    Outcome.StillDeferred _,
                    Outcome.Postponed _,
                    Outcome.Limited _,
                    Outcome.Expired _,
                    Outcome.Skipped _,
                    Outcome.Recorded _,
                    Outcome.Interrupted _,
                    Outcome.LeaseLost _ -> throw new AssertionError("no failure: " + outcome);
        };
    }
}
