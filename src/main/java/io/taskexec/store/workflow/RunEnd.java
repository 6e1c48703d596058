package io.taskexec.store.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.delivery.Claim;
import io.taskexec.store.execution.ResultRecorder;
import io.taskexec.store.job.CancelStore;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.EventedStatement;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Ends runs whose jobs have ended, or that could not start. */
@Singleton
public final class RunEnd {
    private final Database database;
    private final ResultRecorder recorder;
    private final CancelStore cancellations;
    private final String close;

    public RunEnd(Database database, ResultRecorder recorder, CancelStore cancellations) {
        this.database = database;
        this.recorder = recorder;
        this.cancellations = cancellations;
        this.close = database.form(CLOSE);
    }

    // An error type says how it has ended: none for well.
    private static final EventedStatement CLOSE =
            EventedStatement.of("""
            WITH closed AS (
              INSERT INTO workflow_runs (run_id, job_id, name, ended) VALUES ($1::uuid, $3::uuid, $4::text, true)
              ON CONFLICT (run_id) DO UPDATE SET ended = true WHERE NOT workflow_runs.ended
              RETURNING run_id, job_id
            )
            """, """
            (execution_id, job_id, kind, attempt, error_type)
              SELECT run_id, job_id, 'WORKFLOW_ENDED', 1, $2::text FROM closed
            """, "SELECT run_id, $2::text AS type FROM closed\n");

    private static final String CANCELLED = "CANCELLED";

    /** The outcomes of metrics by the status of the execution; of others it is cancelled. */
    private static final Map<String, String> OUTCOMES =
            Map.of("SUCCESS", "success", "FAILED", "failed", "EXPIRED", "failed");

    /**
     * Ends a run by its result; returns false when the lease was lost.
     *
     * @param name of the run, in case that it is not noted yet
     * @param error null when it has succeeded
     */
    public Uni<Boolean> end(Claim claim, String name, @Nullable JsonNode output, @Nullable JsonNode error) {
        var type = error == null ? null : error.path("type").asText();
        return database.withTransaction(transaction -> recorder.endWithin(transaction, claim, output, error)
                        .chain(rows -> rows.size() == 0
                                ? Uni.createFrom().item(rows)
                                : close(transaction, Tuple.of(claim.executionId(), type, claim.jobId(), name))
                                        .replaceWith(rows)))
                .map(rows -> {
                    if (rows.size() == 0) {
                        return false;
                    }
                    recorder.ended(rows, error != null);
                    database.metrics().workflows().ended(error == null ? "success" : "failed");
                    return true;
                });
    }

    /** Ends a run that was cancelled, and whose jobs have ended. */
    public Uni<Boolean> cancel(WorkflowRun run) {
        return cancellations
                .cancel(run.id(), true)
                .chain(done -> close(run, CANCELLED).replaceWith(done));
    }

    /** Notes that a run has ended whose execution was ended by something else, with this status. */
    Uni<Void> close(WorkflowRun run, String status) {
        var type = status.equals("SUCCESS") ? null : status;
        var parameters = Tuple.of(run.id(), type, run.jobId(), run.name());
        return database.withTransaction(transaction -> close(transaction, parameters))
                .invoke(closed -> {
                    if (closed) {
                        database.metrics().workflows().ended(OUTCOMES.getOrDefault(status, "cancelled"));
                    }
                })
                .replaceWithVoid();
    }

    private Uni<Boolean> close(SqlConnection transaction, Tuple parameters) {
        return Database.on(transaction, close, parameters).map(rows -> rows.size() > 0);
    }
}
