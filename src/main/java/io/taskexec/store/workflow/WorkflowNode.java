package io.taskexec.store.workflow;

import static io.taskexec.store.sql.Columns.instantOrNull;
import static io.taskexec.store.sql.Columns.jsonOrNull;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.job.ExecutionStatus;
import io.vertx.mutiny.sqlclient.Row;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A job of a run.
 *
 * @param startedAt when its latest attempt began
 */
public record WorkflowNode(
        String name,
        UUID jobId,
        ExecutionStatus status,
        int attemptCount,
        @Nullable Instant startedAt,
        @Nullable Instant completedAt,
        @Nullable JsonNode error) {
    static WorkflowNode read(Row row) {
        return new WorkflowNode(
                row.getString("name"),
                row.getUUID("job_id"),
                ExecutionStatus.valueOf(row.getString("status")),
                row.getInteger("attempt_count"),
                instantOrNull(row, "started_at"),
                instantOrNull(row, "completed_at"),
                jsonOrNull(row, "error"));
    }

    /** Whether it has ended otherwise than well; one that was skipped has not. */
    public boolean hasFailed() {
        return status == ExecutionStatus.FAILED
                || status == ExecutionStatus.EXPIRED
                || status == ExecutionStatus.CANCELLED;
    }
}
