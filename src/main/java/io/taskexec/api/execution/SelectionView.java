package io.taskexec.api.execution;

import io.taskexec.model.job.ExecutionSelection;
import io.taskexec.model.job.ExecutionStatus;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** Selects executions in a body. */
@Schema(name = "ExecutionFilter")
record SelectionView(
        @Nullable ExecutionStatus status,
        @Nullable String errorType,
        @Nullable String endpoint,
        @Nullable String queue,
        @Nullable String tag,
        @Nullable Instant createdFrom,
        @Nullable Instant createdBefore,
        @Nullable Boolean retried) {
    static SelectionView of(ExecutionSelection selection) {
        var errorType = selection.errorType();
        return new SelectionView(
                selection.status(),
                errorType == null ? null : errorType.name(),
                selection.endpoint(),
                selection.queue(),
                selection.tag(),
                selection.createdFrom(),
                selection.createdBefore(),
                selection.retried());
    }
}
