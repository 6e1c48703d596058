package io.taskexec.api.execution;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.PublicId;
import io.taskexec.model.job.Attempt;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** An attempt as it is shown. */
@Schema(name = "Attempt")
record AttemptView(
        int attemptNumber,
        Attempt.Status status,
        Instant startedAt,
        @Nullable Instant completedAt,
        @Nullable Long durationMs,

        @Schema(implementation = DeliveryShapes.Output.class) @Nullable
        JsonNode output,

        @Schema(implementation = DeliveryShapes.Reason.class) @Nullable
        JsonNode error,

        @Nullable String workerId) {
    static AttemptView of(Attempt attempt) {
        return new AttemptView(
                attempt.number(),
                attempt.status(),
                attempt.startedAt(),
                attempt.completedAt(),
                ExecutionView.millis(attempt.duration()),
                attempt.output(),
                attempt.error(),
                PublicId.WORKER.showOrNull(attempt.workerId()));
    }
}
