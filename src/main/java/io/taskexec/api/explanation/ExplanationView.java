package io.taskexec.api.explanation;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.PublicId;
import io.taskexec.model.job.Execution;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.store.explanation.LiveState;
import java.time.Instant;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** An explanation as it is shown. */
@Schema(name = "Explanation")
record ExplanationView(
        String executionId,
        String jobId,
        String endpoint,

        @Schema(description = "Absent when it has ended.") @Nullable
        String queue,

        ExecutionStatus status,

        @Schema(description = "The moment that is described, by the clock of the database.")
        Instant at,

        @Schema(ref = "ReasonCode", description = "The first of the reasons, which keeps it now.")
        String reason,

        @Schema(description = "The same in words.") String message,

        @Schema(
                type = SchemaType.ARRAY,
                implementation = ReasonShape.class,
                description = "All reasons, in the order in which they must be resolved.")
        List<JsonNode> reasons) {
    static ExplanationView ofEnded(Execution execution, Instant at, Reason reason) {
        return of(execution, null, execution.status(), at, List.of(reason));
    }

    /** @param reasons at least one */
    static ExplanationView ofLive(Execution execution, LiveState state, List<Reason> reasons) {
        return of(execution, state.queue().name(), state.status(), state.at(), reasons);
    }

    private static ExplanationView of(
            Execution execution, @Nullable String queue, ExecutionStatus status, Instant at, List<Reason> reasons) {
        var first = reasons.getFirst();
        return new ExplanationView(
                PublicId.EXECUTION.show(execution.id()),
                PublicId.JOB.show(execution.jobId()),
                execution.endpoint(),
                queue,
                status,
                at,
                first.code().word(),
                first.message(),
                reasons.stream().<JsonNode>map(Reason::toJson).toList());
    }
}
