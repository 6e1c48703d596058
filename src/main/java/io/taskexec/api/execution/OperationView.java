package io.taskexec.api.execution;

import io.taskexec.model.PublicId;
import io.taskexec.model.job.Operation;
import io.taskexec.model.job.OperationStatus;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** An operation on many executions as it is shown. */
@Schema(name = "Operation")
record OperationView(
        @Schema(enumeration = KIND, description = "Tells this from the preview that a dry run answers.")
        String kind,

        String operationId,
        @Schema(ref = "OperationAction") String action,
        SelectionView filter,
        OperationStatus status,
        @Nullable Long total,
        long done,
        long skipped,
        int ratePerSec,
        @Nullable Long max,
        Instant createdAt,
        @Nullable Instant startedAt,
        @Nullable Instant endedAt)
        implements BulkAnswer {
    static final String KIND = "OPERATION";

    static OperationView of(Operation operation) {
        return new OperationView(
                KIND,
                PublicId.OPERATION.show(operation.id()),
                operation.action().word(),
                SelectionView.of(operation.selection()),
                operation.status(),
                operation.total(),
                operation.done(),
                operation.skipped(),
                operation.ratePerSec(),
                operation.max(),
                operation.createdAt(),
                operation.startedAt(),
                operation.endedAt());
    }
}
