package io.taskexec.store.execution;

import static io.taskexec.store.sql.Columns.instant;
import static io.taskexec.store.sql.Columns.jsonOrNull;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.TraceContext;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.job.JobOptions;
import io.taskexec.store.sql.UnreadableException;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the answers to claims. */
final class ClaimRows {
    private ClaimRows() {}

    /** Reads the executions; a row without one tells of something else. */
    static List<Claim> read(RowSet<Row> rows, long token) {
        var claims = new ArrayList<Claim>(rows.size());
        for (var row : rows) {
            if (row.getUUID("execution_id") != null) {
                claims.add(readOrSayWhy(row, token));
            }
        }
        return claims;
    }

    /**
     * A row that cannot be read must not take those along that were claimed with it: it becomes a claim that says why.
     */
    static Claim readOrSayWhy(Row row, long token) {
        var endpoint = row.getString("endpoint");
        if (endpoint == null) {
            return claim(row, token, "", null, JobOptions.NONE, "Its job is gone.");
        }
        try {
            var input = UnreadableException.reading("The input of its job", () -> jsonOrNull(row, "input"));
            var options = UnreadableException.reading(
                    "The settings of its job", () -> JobOptions.of(jsonOrNull(row, "options")));
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
