package io.taskexec.lease;

import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.model.lease.CancelReason;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The answer to what a pull worker says of one of its leases. */
public sealed interface LeaseResult {
    /** It holds for so much longer; {@code cancel} asks to stop. */
    record Extended(Duration expiresIn, @Nullable CancelReason cancel) implements LeaseResult {}

    /** Its attempt has ended. */
    record Ended(ExecutionStatus status) implements LeaseResult {}

    /** It waits for a callback to an address. */
    record Deferred(String callbackUrl) implements LeaseResult {}

    /** Nothing was changed. */
    record Refused(Code code, String message) implements LeaseResult {}

    /** The reasons why nothing was changed. */
    enum Code {
        /** The lease is stale or unknown, or was ended by a cancellation or a timeout. */
        LEASE_LOST,
        /** The key may not work for the endpoint. */
        FORBIDDEN,
        /** The output has more than 64 KiB. */
        OUTPUT_TOO_LARGE,
        /** The endpoint does not let its attempts be deferred. */
        NOT_DEFERRABLE
    }

    /** The result of a lease that is not held. */
    static Refused lost(@Nullable CancelReason reason) {
        return new Refused(
                Code.LEASE_LOST,
                switch (reason) {
                    case CANCELLED -> "The execution was cancelled.";
                    case TIMED_OUT -> "The attempt took longer than its timeout.";
                    case PREEMPTED -> "The attempt was preempted and its lease has ended.";
                    case null -> "The lease has ended or is unknown.";
                });
    }
}
