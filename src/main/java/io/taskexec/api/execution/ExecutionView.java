package io.taskexec.api.execution;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.Output;
import io.taskexec.model.PublicId;
import io.taskexec.model.endpoint.EndpointType;
import io.taskexec.model.job.Execution;
import io.taskexec.model.job.ExecutionStatus;
import java.time.Duration;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** An execution as it is shown. */
@Schema(name = "Execution")
public record ExecutionView(
        String executionId,
        String jobId,
        String endpoint,
        EndpointType endpointType,
        int endpointVersion,
        ExecutionStatus status,
        int attemptCount,
        int maxAttempts,
        @Nullable Integer configVersion,
        Instant runAt,
        @Nullable Instant nextAttemptAt,
        @Nullable Instant startedAt,
        @Nullable Instant completedAt,
        @Nullable Long durationMs,

        @Schema(implementation = DeliveryShapes.Output.class) @Nullable
        JsonNode output,

        @Schema(implementation = DeliveryShapes.Reason.class) @Nullable
        JsonNode error,

        Instant createdAt,
        @Nullable String retriedAs,
        @Nullable DeferralView deferral,
        @Nullable ProgressView progress) {
    public static ExecutionView of(Execution execution) {
        return new ExecutionView(
                PublicId.EXECUTION.show(execution.id()),
                PublicId.JOB.show(execution.jobId()),
                execution.endpoint(),
                execution.endpointType(),
                execution.endpointVersion(),
                execution.status(),
                execution.attemptCount(),
                execution.maxAttempts(),
                execution.configVersion(),
                execution.runAt(),
                execution.nextAttemptAt(),
                execution.startedAt(),
                execution.completedAt(),
                millis(execution.duration()),
                Output.withJson(execution.output()),
                execution.error(),
                execution.createdAt(),
                PublicId.EXECUTION.showOrNull(execution.retriedAs()),
                DeferralView.of(execution.deferral()),
                ProgressView.of(execution.progress()));
    }

    static @Nullable Long millis(@Nullable Duration duration) {
        return duration == null ? null : duration.toMillis();
    }
}
