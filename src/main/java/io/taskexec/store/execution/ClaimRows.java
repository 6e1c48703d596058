package io.taskexec.store.execution;

import static io.taskexec.store.sql.Columns.instant;
import static io.taskexec.store.sql.Columns.jsonOrNull;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.TraceContext;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.job.JobOptions;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.UnreadableException;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Reads the answers to claims. */
final class ClaimRows {
    private static final Logger LOG = Logger.getLogger(ClaimRows.class);

    private ClaimRows() {}

    private static final String CHANGED_JOBS = """
            SELECT job_id, input::text AS input, options::text AS options, tags FROM jobs
            WHERE job_id = ANY($1::uuid[])
            """;

    /**
     * Reads the executions; a row without one tells of something else. Jobs that have changed are read again; where
     * that fails their executions are left out, as if the answer had not told of them.
     */
    static Uni<List<Claim>> read(Database database, RowSet<Row> rows, long token) {
        return changedJobs(database, rows)
                .map(changed -> read(rows, changed, token))
                .onFailure()
                .recoverWithItem(failure -> unchanged(database, rows, token, failure));
    }

    private static List<Claim> unchanged(Database database, RowSet<Row> rows, long token, Throwable failure) {
        // So they are looked for, and handed back.
        database.answerIsLost();
        var claims = new ArrayList<Claim>(rows.size());
        var leftOut = 0;
        for (var row : rows) {
            if (isChanged(row)) {
                leftOut++;
            } else if (row.getUUID("execution_id") != null) {
                claims.add(readOrSayWhy(row, token));
            }
        }
        LOG.warnf("%d jobs could not be read again, their executions are due again soon: %s", leftOut, failure);
        return claims;
    }

    private static boolean isChanged(Row row) {
        return Boolean.TRUE.equals(row.getBoolean("is_changed"));
    }

    /** The jobs that were changed while their executions were being claimed, as they are now, by their ids. */
    static Uni<Map<UUID, Row>> changedJobs(Database database, RowSet<Row> rows) {
        var ids = new ArrayList<UUID>(0);
        for (var row : rows) {
            if (isChanged(row)) {
                ids.add(row.getUUID("job_id"));
            }
        }
        return ids.isEmpty()
                ? Uni.createFrom().item(Map.of())
                : database.run(CHANGED_JOBS, Tuple.tuple().addValue(ids.toArray(UUID[]::new)))
                        .ifNoItem()
                        .after(FlowReleases.FOLLOW_UP)
                        .fail()
                        .map(jobs -> {
                            var changed = new HashMap<UUID, Row>();
                            jobs.forEach(job -> changed.put(job.getUUID("job_id"), job));
                            return changed;
                        });
    }

    /** Reads the executions, with what {@link #changedJobs} has found. */
    static List<Claim> read(RowSet<Row> rows, Map<UUID, Row> changed, long token) {
        var claims = new ArrayList<Claim>(rows.size());
        for (var row : rows) {
            if (row.getUUID("execution_id") != null) {
                claims.add(readOrSayWhy(row, latest(row, changed), token));
            }
        }
        return claims;
    }

    /** The row that has the job of {@code row} as it is now. */
    static Row latest(Row row, Map<UUID, Row> changed) {
        return changed.isEmpty() ? row : changed.getOrDefault(row.getUUID("job_id"), row);
    }

    /**
     * A row that cannot be read must not take those along that were claimed with it: it becomes a claim that says why.
     */
    static Claim readOrSayWhy(Row row, long token) {
        return readOrSayWhy(row, row, token);
    }

    /** @param job has what may have changed since the other row was read */
    private static Claim readOrSayWhy(Row row, Row job, long token) {
        var endpoint = row.getString("endpoint");
        if (endpoint == null) {
            return claim(row, token, "", null, JobOptions.NONE, "Its job is gone.");
        }
        try {
            var input = UnreadableException.reading("The input of its job", () -> jsonOrNull(job, "input"));
            var options = UnreadableException.reading(
                    "The settings of its job", () -> JobOptions.of(jsonOrNull(job, "options")));
            return claim(row, token, endpoint, input, options, null);
        } catch (UnreadableException e) {
            return claim(row, token, endpoint, null, JobOptions.NONE, e.getMessage());
        }
    }

    private static Claim claim(
            Row row,
            long token,
            String endpoint,
            @Nullable JsonNode input,
            JobOptions options,
            @Nullable String unreadable) {
        var endpointVersion = row.getInteger("endpoint_version");
        var trace = row.getString("trace");
        var expiresIn = row.getDouble("expires_in");
        return new Claim(
                row.getUUID("execution_id"),
                row.getUUID("job_id"),
                token,
                row.getInteger("attempt"),
                row.getInteger("failures"),
                row.getInteger("rescues"),
                endpoint,
                endpointVersion == null ? 0 : endpointVersion,
                row.getInteger("config_version"),
                row.getLong("secret_epoch"),
                input,
                instant(row, "run_at"),
                trace == null ? null : TraceContext.ofText(trace),
                unreadable,
                row.getColumnIndex("flow_id") < 0 ? null : row.getLong("flow_id"),
                expiresIn == null ? null : Duration.ofMillis((long) Math.floor(expiresIn * 1000)),
                options,
                row.getBoolean("has_parents"),
                row.getBoolean("has_children"),
                row.getBoolean("deferred"));
    }
}
