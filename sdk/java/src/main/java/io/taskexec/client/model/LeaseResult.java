package io.taskexec.client.model;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The result for one lease of a request.
 *
 * @param lease its token
 * @param status {@code OK} or {@code ERROR}
 * @param error absent when it is OK
 * @param expiresIn of a lease that was extended
 * @param cancel why its work should end: {@code CANCELLED} or {@code PREEMPTED}
 * @param executionStatus of an execution whose attempt has ended
 * @param callbackUrl of one that was deferred
 */
public record LeaseResult(
        String lease,
        String status,
        @Nullable ItemError error,
        @Nullable Duration expiresIn,
        @Nullable String cancel,
        @Nullable ExecutionStatus executionStatus,
        @Nullable String callbackUrl) {

    /**
     * Why it was refused.
     *
     * @param code such as {@code LEASE_LOST}
     * @param message a sentence
     */
    public record ItemError(String code, String message) {}

    /**
     * Tells whether it was taken.
     *
     * @return whether it is OK
     */
    public boolean isOk() {
        return "OK".equals(status);
    }
}
