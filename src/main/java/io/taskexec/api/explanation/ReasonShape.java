package io.taskexec.api.explanation;

import io.taskexec.model.endpoint.Breaker;
import io.taskexec.model.job.ExecutionStatus;
import java.time.Instant;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** A reason as the OpenAPI document shows it. Each code has some of the facts. */
@Schema(name = "ExplanationReason", description = "A reason with the facts that belong to it.")
record ReasonShape(
        ReasonCode code,

        @Schema(description = "The reason in words.") String message,

        @Schema(description = "Since when it holds.") @Nullable
        Instant since,

        @Schema(description = "Until when it holds at most; absent when nothing ends it by itself.") @Nullable
        Instant until,

        @Nullable String queue,

        @Schema(description = "The name of the API key that paused the queue, as far as the audit log has it.")
        @Nullable
        String pausedBy,

        @Nullable String pauseReason,

        @Schema(description = "Its place in its lane or in the line of its flow key, from 1 on.") @Nullable
        Integer position,

        @Schema(description = "Whether the place is a later one: counts stop at 10,000.") @Nullable
        Boolean more,

        @Schema(description = "Executions of its lane that began per second, lately.") @Nullable
        Double startsPerSec,

        @Schema(description = "By that rate; absent when it is not known.") @Nullable
        Instant estimatedStart,

        @Nullable String flowKey,

        @Schema(
                enumeration = {"key", "queue"},
                description = "What has the rate.")
        @Nullable
        String scope,

        @Schema(description = "Executions that hold a place.") @Nullable
        Integer open,

        @Schema(description = "Executions that may hold a place.") @Nullable
        Integer limit,

        @Schema(description = "The limit that follows from the answers of the receiver.") @Nullable
        Integer adaptiveLimit,

        @Schema(description = "Executions that hold the places, at most 100.") @Nullable
        List<String> heldBy,

        @Schema(description = "Jobs that have not ended, at most 100.") @Nullable
        List<Parent> parents,

        @Nullable BreakerFacts breaker,

        @Schema(description = "When a worker looks at it next.") @Nullable
        Instant nextLookAt,

        @Schema(description = "What ends the deferral: callback, poll or approval.") @Nullable
        String mode,

        @Schema(description = "When its receiver has been silent for too long.") @Nullable
        Instant silentAt,

        @Nullable String region,

        @Schema(description = "The region that does the work of this one.") @Nullable
        String adoptedBy,

        @Nullable Integer priority,

        @Schema(description = "The lowest priority that workers start under pressure.") @Nullable
        Integer leastUrgent,

        @Nullable PressureFacts pressure,
        @Nullable String workerId,
        @Nullable String host,

        @Schema(description = "The last heartbeat of the worker.") @Nullable
        Instant lastHeartbeatAt,

        @Schema(description = "The number of the last attempt.") @Nullable
        Integer attempt,

        @Nullable Integer maxAttempts,

        @Schema(description = "How many workers were lost over it.") @Nullable
        Integer workersLost,

        @Schema(ref = "DeliveryError", nullable = true) @Nullable
        Object error,

        @Nullable Instant endedAt,

        @Schema(description = "The execution that repeats it.") @Nullable
        String retriedAs,

        @Schema(description = "The name of the API key that cancelled it, as far as the audit log has it.") @Nullable
        String cancelledBy) {

    /** A job that another one waits for. */
    @Schema(name = "ExplanationParent", description = "A job that it waits for.")
    record Parent(
            String jobId,
            @Nullable String name,
            String endpoint,

            @Schema(description = "Absent when it has ended, and that is about to be counted.") @Nullable
            ExecutionStatus status) {}

    /** The breaker of its endpoint. */
    @Schema(name = "ExplanationBreaker", description = "The circuit breaker of its endpoint.")
    record BreakerFacts(
            Breaker.State state,
            Instant openedAt,

            @Schema(description = "When a delivery is tried; absent of a disabled endpoint.") @Nullable
            Instant retryAt,

            String reason) {}

    /** The highest pressure. */
    @Schema(name = "ExplanationPressure", description = "The highest pressure.")
    record PressureFacts(
            String source,
            double value,

            @Schema(description = "The host of the worker that measured it; absent of a signal.") @Nullable
            String host) {}
}
