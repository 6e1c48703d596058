package io.taskexec.api.callback;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.PublicId;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.wait.CallbackAnswer;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The answer to a callback as it is shown. */
@Schema(name = "CallbackResult")
public record CallbackView(
        String executionId,

        @Schema(description = "The status of the execution, when the callback has ended the attempt.") @Nullable
        ExecutionStatus status,

        @Nullable JsonNode output,
        @Nullable JsonNode error) {
    public static CallbackView of(UUID executionId, CallbackAnswer answer) {
        return new CallbackView(PublicId.EXECUTION.show(executionId), answer.status(), answer.output(), answer.error());
    }
}
