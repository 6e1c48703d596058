package io.taskexec.model.delivery;

import io.taskexec.model.TraceContext;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The identity that every delivery carries to its receiver.
 *
 * @param trace the trace that the attempt continues; null for a trace of the execution's own
 * @param extras the headers that its endpoint adds
 * @param callbackUrl where its receiver may say later how the attempt ends; null when it cannot
 */
public record Delivery(
        UUID executionId,
        UUID jobId,
        int attempt,
        Instant scheduledFor,
        @Nullable TraceContext trace,
        DeliveryExtras extras,
        @Nullable String callbackUrl) {
    /** A delivery whose receiver does not call back. */
    public Delivery(
            UUID executionId,
            UUID jobId,
            int attempt,
            Instant scheduledFor,
            @Nullable TraceContext trace,
            DeliveryExtras extras) {
        this(executionId, jobId, attempt, scheduledFor, trace, extras, null);
    }
}
