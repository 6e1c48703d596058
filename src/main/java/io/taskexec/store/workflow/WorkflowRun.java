package io.taskexec.store.workflow;

import static io.taskexec.store.sql.Columns.instantOrNull;
import static io.taskexec.store.sql.Columns.jsonOrNull;

import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.mutiny.sqlclient.Row;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The run of a workflow.
 *
 * @param id of its execution
 * @param name that of the definition, or the one that its creator gave it
 * @param retryOf the run whose jobs that have succeeded are not repeated
 * @param input with the values of its templates, where the input of its job has any
 * @param startedAt when its jobs were made
 * @param cancellingAt when it was asked to end
 * @param forced whether that was to cancel also what runs
 */
public record WorkflowRun(
        UUID id,
        UUID jobId,
        String name,
        @Nullable UUID retryOf,
        @Nullable JsonNode input,
        @Nullable Instant startedAt,
        @Nullable Instant cancellingAt,
        boolean forced) {
    static WorkflowRun read(Row row) {
        return new WorkflowRun(
                row.getUUID("run_id"),
                row.getUUID("job_id"),
                row.getString("name"),
                row.getUUID("retry_of"),
                jsonOrNull(row, "input"),
                instantOrNull(row, "started_at"),
                instantOrNull(row, "cancelling_at"),
                row.getBoolean("forced"));
    }
}
