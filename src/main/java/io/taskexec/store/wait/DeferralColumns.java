package io.taskexec.store.wait;

import static io.taskexec.store.sql.Columns.jsonOrNull;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.wait.Deferral;
import io.taskexec.model.wait.DeferralMode;
import io.taskexec.model.wait.Progress;
import io.vertx.mutiny.sqlclient.Row;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The columns of what an execution waits for, and of what its receiver has reported. Few executions have either. */
public final class DeferralColumns {
    /** Columns of the execution l or x. */
    public static final String COLUMNS = """
                   CASE WHEN l.deferred THEN (
                     SELECT json_build_object('mode', d.mode, 'every', d.poll_every_ms,
                       'url', d.poll_url, 'since', d.since, 'deadline', d.deadline, 'silence', d.heartbeat_ms,
                       'heard_at', d.heard_at)::text
                     FROM deferrals d WHERE d.execution_id = l.execution_id) END AS deferral,
                   (SELECT json_build_object('attempt', p.attempt, 'done', p.done, 'total', p.total,
                      'message', p.message, 'reported_at', p.reported_at, 'before', p.window_done,
                      'before_at', p.window_at)::text
                    FROM execution_progress p WHERE p.execution_id = wanted.id) AS progress,
            """;

    private DeferralColumns() {}

    public static @Nullable Deferral deferral(Row row) {
        var json = jsonOrNull(row, "deferral");
        if (json == null) {
            return null;
        }
        var url = json.path("url").textValue();
        return new Deferral(
                DeferralMode.valueOf(json.path("mode").asText().toUpperCase(Locale.ROOT)),
                duration(json.path("every")),
                url == null ? null : URI.create(url),
                instant(json.path("since")),
                instant(json.path("deadline")),
                duration(json.path("silence")),
                instant(json.path("heard_at")));
    }

    public static @Nullable Progress progress(Row row) {
        var json = jsonOrNull(row, "progress");
        if (json == null) {
            return null;
        }
        var done = json.path("done").doubleValue();
        var reportedAt = instant(json.path("reported_at"));
        var time = Duration.between(instant(json.path("before_at")), reportedAt);
        return new Progress(
                json.path("attempt").intValue(),
                done,
                json.path("total").isNumber() ? json.path("total").doubleValue() : null,
                json.path("message").textValue(),
                reportedAt,
                time.isPositive() ? (done - json.path("before").doubleValue()) / (time.toNanos() / 1e9) : null);
    }

    private static Instant instant(JsonNode text) {
        return OffsetDateTime.parse(text.asText()).toInstant();
    }

    private static @Nullable Duration duration(JsonNode millis) {
        return millis.isNumber() ? Duration.ofMillis(millis.longValue()) : null;
    }
}
