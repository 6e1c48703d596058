package io.taskexec.store.wait;

import static io.taskexec.store.sql.Columns.jsonOrNull;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.job.JobOptions;
import io.taskexec.store.sql.Batcher;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.Fence;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads what is recorded of an attempt, to answer a callback of it, or its worker. */
@Singleton
public final class CallbackRecordStore {
    private final Database database;
    private final Batcher<Wanted, Optional<CallbackRecord>> reads;

    public CallbackRecordStore(Database database) {
        this.database = database;
        this.reads = new Batcher<>("records for callbacks", Fence.LIMITS, this::readAll);
    }

    private record Wanted(UUID executionId, int attempt) {}

    /**
     * The record of an attempt and of its execution.
     *
     * @param status of an execution that has ended; null for one that has not
     * @param output of an execution that has ended
     * @param error of an execution that has ended
     * @param hasFailed whether the attempt has failed, and was followed by another one
     * @param attemptError of the first attempt from this one on that has failed, and was followed by another one
     * @param isOpen whether the attempt may still be ended by a callback
     * @param isDeferred whether the execution waits for its receiver, and not for a person
     * @param latestAttempt of the execution
     * @param workerId of the attempt when it has failed, or has ended the execution
     * @param options of its job
     */
    public record CallbackRecord(
            String endpoint,
            int endpointVersion,
            long secretEpoch,
            JobOptions options,
            @Nullable String status,
            @Nullable JsonNode output,
            @Nullable JsonNode error,
            boolean hasFailed,
            @Nullable JsonNode attemptError,
            boolean isOpen,
            boolean isDeferred,
            int latestAttempt,
            @Nullable UUID workerId) {}

    // Limits and scalar subqueries keep the planner on primary keys, however few rows it believes in.
    private static final String SELECT = """
            SELECT wanted.place, j.endpoint,
                   coalesce(x.endpoint_version, l.endpoint_version, j.endpoint_version) AS endpoint_version,
                   (SELECT value FROM epochs WHERE name = 'secrets') AS secret_epoch, j.options::text AS options,
                   x.status, x.output::text AS output, x.error::text AS error,
                   coalesce((SELECT a.status FROM attempts a
                     WHERE a.execution_id = wanted.id AND a.attempt_number = wanted.attempt) = 'FAILED', false)
                     AS has_failed,
                   (SELECT a.error::text FROM attempts a
                    WHERE a.execution_id = wanted.id AND a.attempt_number >= wanted.attempt AND a.status = 'FAILED'
                    ORDER BY a.attempt_number LIMIT 1) AS attempt_error,
                   coalesce(wanted.attempt BETWEEN l.callback_from AND l.attempt, false) AS open,
                   coalesce(l.deferred AND v.endpoint_type <> 'APPROVAL', false) AS deferred,
                   coalesce(x.attempt_count, l.attempt) AS latest_attempt,
                   coalesce((SELECT a.worker_id FROM attempts a
                     WHERE a.execution_id = wanted.id AND a.attempt_number = wanted.attempt), x.worker_id) AS worker_id
            FROM unnest($1::uuid[], $2::int[]) WITH ORDINALITY AS wanted(id, attempt, place)
            LEFT JOIN LATERAL (SELECT * FROM exec_live WHERE execution_id = wanted.id LIMIT 1) AS l ON true
            LEFT JOIN LATERAL (SELECT * FROM executions WHERE execution_id = wanted.id LIMIT 1) AS x ON true
            JOIN LATERAL (SELECT * FROM jobs WHERE job_id = coalesce(x.job_id, l.job_id) LIMIT 1) AS j ON true
            JOIN LATERAL (
              SELECT endpoint_type FROM endpoint_versions
              WHERE name = j.endpoint
                AND version = coalesce(x.endpoint_version, l.endpoint_version, j.endpoint_version)
              LIMIT 1) AS v ON true
            """;

    /** Returns nothing when there is no such execution any more. Many are read in one statement. */
    public Uni<Optional<CallbackRecord>> find(UUID executionId, int attempt) {
        return reads.submit(new Wanted(executionId, attempt));
    }

    private Uni<List<Optional<CallbackRecord>>> readAll(List<Wanted> batch) {
        var parameters = Tuple.tuple()
                .addValue(batch.stream().map(Wanted::executionId).toArray(UUID[]::new))
                .addValue(batch.stream().map(Wanted::attempt).toArray(Integer[]::new));
        return database.run(SELECT, parameters).map(rows -> {
            var records = new ArrayList<Optional<CallbackRecord>>(Collections.nCopies(batch.size(), Optional.empty()));
            rows.forEach(row ->
                    records.set(Math.toIntExact(row.getLong("place")) - 1, Optional.of(CallbackRecordStore.read(row))));
            return records;
        });
    }

    /** Counts a callback by its result. */
    public void count(String result) {
        database.metrics().waits().callback(result);
    }

    private static CallbackRecord read(Row row) {
        return new CallbackRecord(
                row.getString("endpoint"),
                row.getInteger("endpoint_version"),
                row.getLong("secret_epoch"),
                JobOptions.of(jsonOrNull(row, "options")),
                row.getString("status"),
                jsonOrNull(row, "output"),
                jsonOrNull(row, "error"),
                row.getBoolean("has_failed"),
                jsonOrNull(row, "attempt_error"),
                row.getBoolean("open"),
                row.getBoolean("deferred"),
                row.getInteger("latest_attempt"),
                row.getUUID("worker_id"));
    }
}
