package io.taskexec.store.execution;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.Json;
import io.taskexec.model.TaskProgress;
import io.taskexec.model.Uuid7;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.Transition;
import io.taskexec.store.sql.Batcher;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.EventedStatement;
import io.taskexec.store.sql.Fence;
import io.taskexec.store.wakeup.DueSignal;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Records the results of attempts, many in one statement, each fenced by its lease: a worker that lost the lease
 * changes nothing and is told so.
 */
@Singleton
public final class ResultRecorder {
    private static final Batcher.Limits LIMITS = new Batcher.Limits(Fence.MOST_ROWS, 10_000, 1);

    private static final int MAX_REASON = 1000;

    /** The first so many attempts keep their lines, and so do the last so many. */
    static final int ATTEMPTS_LOGGED = 100;

    private final Database database;
    private final DueSignal dueSignal;
    private final Batcher<Ending, Boolean> endings;
    private final Batcher<Release, Boolean> releases;
    private final Batcher<Waiting, Boolean> waits;
    private final String end;
    private final String endWithCallbacks;
    private final String release;

    public ResultRecorder(Database database, DueSignal dueSignal) {
        this.database = database;
        this.dueSignal = dueSignal;
        this.end = database.form(END);
        this.endWithCallbacks = database.form(END_WITH_CALLBACKS);
        this.release = database.form(RELEASE);
        this.endings = new Batcher<>("results to be recorded", LIMITS, Database::blamesData, this::endAll);
        this.waits = new Batcher<>("executions that wait", LIMITS, Database::blamesData, this::waitAll);
        this.releases = new Batcher<>("retries to be recorded", LIMITS, Database::blamesData, this::releaseAll);
    }

    /** Records one transition; returns false when the lease was lost and nothing was changed. */
    public Uni<Boolean> record(Claim claim, UUID workerId, Transition transition) {
        return switch (transition) {
            case Transition.Succeed(var output, var hasCallback) ->
                endings.submit(new Ending(claim, "SUCCESS", output, null, hasCallback));
            case Transition.Fail(var error) -> endings.submit(new Ending(claim, "FAILED", null, error, true));
            case Transition.RetryAfter(var delay, var error) ->
                releases.submit(new Release(claim, workerId, "FAILED", delay, error));
            case Transition.Defer(var delay) -> waits.submit(new Waiting(claim, delay));
            case Transition.Abandon() -> Uni.createFrom().item(false);
            case Transition.Interrupt() ->
                releases.submit(new Release(claim, workerId, "INTERRUPTED", Duration.ZERO, null));
        };
    }

    /** The progress of the batches of results. */
    public TaskProgress progress() {
        return endings.progress().and(releases.progress()).and(waits.progress());
    }

    /** A result that may only be written while the lease is held. */
    private sealed interface Fenced {
        Claim claim();
    }

    private record Ending(
            Claim claim,
            String status,
            @Nullable JsonNode output,
            @Nullable JsonNode error,
            boolean hasCallback) implements Fenced {}

    private record Waiting(Claim claim, Duration delay) implements Fenced {}

    private record Release(
            Claim claim,
            UUID workerId,
            String status,
            Duration delay,
            @Nullable JsonNode error) implements Fenced {
        /** Of the line in the log: the latest attempts share a round of places, so that the log has an end. */
        UUID logId() {
            var attempt = claim.attempt();
            return attempt <= ATTEMPTS_LOGGED ? Uuid7.next() : new UUID(0, attempt % ATTEMPTS_LOGGED);
        }
    }

    private static final String END_BEFORE_CALLBACKS = """
            WITH removed AS (
              DELETE FROM exec_live live
              WHERE %s
              RETURNING live.*, %s AS n
            ), ended AS (
              SELECT removed.*, ($3::text[])[n] AS status, ($6::text[])[n] AS log FROM removed
            ), history AS (
              INSERT INTO executions (execution_id, job_id, region, lane, status, attempt_count, config_version,
                endpoint_version, worker_id, output, error, run_at, started_at, completed_at, created_at)
              SELECT execution_id, job_id, region, lane, status, attempt, config_version, endpoint_version, worker_id,
                ($4::text[])[n]::json, ($5::text[])[n]::json, run_at, started_at, now(), created_at
              FROM ended
            ), logs AS (
              INSERT INTO execution_logs (execution_id, log_id, region, attempt_number, level, message, logged_at)
              SELECT execution_id, gen_random_uuid(), region, attempt, 'ERROR', log, now()
              FROM ended WHERE log IS NOT NULL
            ), stats AS (
              INSERT INTO job_stats (job_id, hour, status, bucket, count, total_ms)
              SELECT job_id, date_trunc('hour', now()), status, ceil(ln(ms + 1) * 10)::smallint, count(*),
                sum(ms)::bigint
              FROM ended,
                LATERAL (SELECT greatest(extract(epoch FROM now() - ended.started_at)::float8 * 1000, 0))
                  AS duration(ms)
              WHERE execution_id <> job_id
              GROUP BY 1, 3, 4
              ORDER BY 1, 3, 4
              ON CONFLICT (job_id, hour, status, bucket)
              DO UPDATE SET count = job_stats.count + excluded.count, total_ms = job_stats.total_ms + excluded.total_ms
            )
            """.formatted(Fence.HELD, Fence.PLACE);

    private static final String END_AFTER_CALLBACKS = "SELECT execution_id, lease_token AS token%s FROM removed";

    private static final String ENDED = """
            (execution_id, job_id, kind, attempt, error_type, next_run_at)
              SELECT execution_id, job_id, status, attempt, ($5::text[])[n]::json ->> 'type', NULL::timestamptz
              FROM ended
            """;

    public static final EventedStatement END =
            EventedStatement.of(END_BEFORE_CALLBACKS, ENDED, END_AFTER_CALLBACKS.formatted(""));

    public static final EventedStatement END_WITH_CALLBACKS = EventedStatement.of(
            END_BEFORE_CALLBACKS.stripTrailing() + ResultCallback.CREATE,
            ENDED + ResultCallback.CREATED,
            END_AFTER_CALLBACKS.formatted(", (SELECT count(*) FROM callbacks) AS callbacks"));

    private Uni<List<Boolean>> endAll(List<Ending> batch) {
        var endings = latestFirst(batch);
        var parameters = Fence.parameters(endings.stream().map(Ending::claim).toList())
                .addValue(endings.stream().map(Ending::status).toArray(String[]::new))
                .addValue(endings.stream().map(e -> Json.text(e.output())).toArray(String[]::new))
                .addValue(endings.stream().map(e -> Json.text(e.error())).toArray(String[]::new))
                .addValue(endings.stream().map(ResultRecorder::log).toArray(String[]::new));
        // Parts that insert nothing cost time too, so they are left out where no result has a callback.
        return endings.stream().noneMatch(Ending::hasCallback)
                ? database.run(end, parameters).map(rows -> ended(batch, rows))
                : database.run(endWithCallbacks, withCallbacks(parameters, endings))
                        .invoke(dueSignal::raise)
                        .invoke(this::countCallbacks)
                        .map(rows -> ended(batch, rows));
    }

    private List<Boolean> ended(List<Ending> batch, RowSet<Row> rows) {
        var held = held(batch, rows);
        var failures = 0;
        for (var i = 0; i < batch.size(); i++) {
            if (held.get(i) && batch.get(i).error() != null) {
                failures++;
            }
        }
        database.metrics().ended(rows.size() - failures, failures);
        return held;
    }

    private void countCallbacks(RowSet<Row> rows) {
        if (rows.size() > 0) {
            database.metrics().created(rows.iterator().next().getLong("callbacks"));
        }
    }

    private static Tuple withCallbacks(Tuple parameters, List<Ending> endings) {
        return parameters
                .addValue(endings.stream().map(_ -> Uuid7.next()).toArray(UUID[]::new))
                .addValue(endings.stream()
                        .map(e -> ResultCallback.input(e.claim(), e.status(), e.output(), e.error()))
                        .toArray(String[]::new))
                .addValue(endings.stream()
                        .map(e -> ResultCallback.trace(e.claim()))
                        .toArray(String[]::new));
    }

    public static final EventedStatement RELEASE =
            EventedStatement.of("""
            WITH released AS (
              UPDATE exec_live live
              SET visible_at = now() + ($4::bigint[])[%2$s] * interval '1 millisecond', lease_token = NULL,
                  worker_id = NULL, failures = live.failures + CASE WHEN ($3::text[])[%2$s] = 'FAILED' THEN 1 ELSE 0 END
              WHERE %1$s
              RETURNING live.execution_id, live.job_id, live.region, live.attempt, live.started_at, live.visible_at,
                        %2$s AS n
            ), past_attempts AS (
              INSERT INTO attempts
                (execution_id, attempt_number, region, status, worker_id, error, started_at, completed_at)
              SELECT execution_id, attempt, region, ($3::text[])[n], ($6::uuid[])[n], ($5::text[])[n]::json, started_at,
                now()
              FROM released
            ), logs AS (
              INSERT INTO execution_logs (execution_id, log_id, region, attempt_number, level, message, logged_at)
              SELECT execution_id, ($8::uuid[])[n], region, attempt, 'WARN', ($7::text[])[n], now() FROM released
              ON CONFLICT (execution_id, log_id) DO UPDATE SET attempt_number = excluded.attempt_number,
                message = excluded.message, logged_at = excluded.logged_at
            )
            """.formatted(Fence.HELD, Fence.PLACE), """
            (execution_id, job_id, kind, attempt, error_type, next_run_at)
              SELECT execution_id, job_id,
                CASE WHEN ($3::text[])[n] = 'FAILED' THEN 'RETRYING' ELSE ($3::text[])[n] END,
                attempt, ($5::text[])[n]::json ->> 'type', visible_at
              FROM released
            """, """
            SELECT execution_id, ($2::bigint[])[n] AS token FROM released
            """);

    private Uni<List<Boolean>> releaseAll(List<Release> batch) {
        var releases = latestFirst(batch);
        var parameters = Fence.parameters(releases.stream().map(Release::claim).toList())
                .addValue(releases.stream().map(Release::status).toArray(String[]::new))
                .addValue(releases.stream().map(r -> r.delay().toMillis()).toArray(Long[]::new))
                .addValue(releases.stream().map(r -> Json.text(r.error())).toArray(String[]::new))
                .addValue(releases.stream().map(Release::workerId).toArray(UUID[]::new))
                .addValue(releases.stream().map(ResultRecorder::log).toArray(String[]::new))
                .addValue(releases.stream().map(Release::logId).toArray(UUID[]::new));
        return database.run(release, parameters).invoke(() -> signal(batch)).map(rows -> held(batch, rows));
    }

    private static final String WAIT = """
            UPDATE exec_live live
            SET visible_at = now() + ($3::bigint[])[%2$s] * interval '1 millisecond', attempt = live.attempt - 1,
                lease_token = NULL, worker_id = NULL, started_at = NULL
            WHERE %1$s
            RETURNING live.execution_id, ($2::bigint[])[%2$s] AS token
            """.formatted(Fence.HELD, Fence.PLACE);

    private Uni<List<Boolean>> waitAll(List<Waiting> batch) {
        var waits = latestFirst(batch);
        var parameters = Fence.parameters(waits.stream().map(Waiting::claim).toList())
                .addValue(waits.stream().map(w -> w.delay().toMillis()).toArray(Long[]::new));
        // Only those who sleep here have reckoned with the end of the lease.
        return database.run(WAIT, parameters).invoke(dueSignal::heard).map(rows -> held(batch, rows));
    }

    /** A success needs no line: its attempt says it all. */
    private static @Nullable String log(Ending ending) {
        var error = ending.error();
        return error == null ? null : "failed permanently: " + reason(error);
    }

    private static String log(Release release) {
        var error = release.error();
        return error == null
                ? "interrupted by the shutdown of its worker, due again at once"
                : "failed: %s; next attempt in %d ms"
                        .formatted(reason(error), release.delay().toMillis());
    }

    private static String reason(JsonNode error) {
        var text = error.path("type").asText() + ": " + error.path("message").asText();
        return text.length() <= MAX_REASON ? text : text.substring(0, MAX_REASON);
    }

    private void signal(List<Release> releases) {
        if (releases.stream().anyMatch(release -> release.delay().compareTo(DueSignal.HORIZON) < 0)) {
            dueSignal.raise();
        }
    }

    /** Of two attempts of one execution only the later can hold its lease, and only the first of an id counts. */
    private static <T extends Fenced> List<T> latestFirst(List<T> results) {
        return results.stream()
                .sorted(Comparator.comparingInt((T result) -> result.claim().attempt())
                        .reversed())
                .toList();
    }

    private static List<Boolean> held(List<? extends Fenced> results, RowSet<Row> rows) {
        var written = new HashMap<UUID, Long>();
        rows.forEach(row -> written.put(row.getUUID("execution_id"), row.getLong("token")));
        return results.stream()
                .map(Fenced::claim)
                .map(claim -> Objects.equals(written.get(claim.executionId()), claim.leaseToken()))
                .toList();
    }
}
