package io.taskexec.store;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.Claim;
import io.taskexec.model.Json;
import io.taskexec.model.Transition;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Writes down what became of attempts, many in one statement, each fenced by its lease: a worker that lost the lease
 * changes nothing and is told so.
 */
@Singleton
public final class ResultRecorder {
    private static final Batcher.Limits LIMITS = new Batcher.Limits(500, 10_000, 1);

    private static final int MAX_REASON = 1000;

    private final Database database;
    private final DueSignal dueSignal;
    private final Batcher<Ending, Boolean> endings;
    private final Batcher<Release, Boolean> releases;
    private final Batcher<Waiting, Boolean> waits;

    public ResultRecorder(Database database, DueSignal dueSignal) {
        this.database = database;
        this.dueSignal = dueSignal;
        this.endings = new Batcher<>("results to be recorded", LIMITS, Database::blamesData, this::endAll);
        this.waits = new Batcher<>("executions that wait", LIMITS, Database::blamesData, this::waitAll);
        this.releases = new Batcher<>("retries to be recorded", LIMITS, Database::blamesData, this::releaseAll);
    }

    /** Records one transition; gives false when the lease was lost and nothing was changed. */
    public Uni<Boolean> record(Claim claim, UUID workerId, Transition transition) {
        return switch (transition) {
            case Transition.Succeed(var output) -> endings.submit(new Ending(claim, "SUCCESS", output, null));
            case Transition.Fail(var error) -> endings.submit(new Ending(claim, "FAILED", null, error));
            case Transition.RetryAfter(var delay, var error) ->
                releases.submit(new Release(claim, workerId, "FAILED", delay, error));
            case Transition.Wait(var delay) -> waits.submit(new Waiting(claim, delay));
            case Transition.Abandon() -> Uni.createFrom().item(false);
            case Transition.Interrupt() ->
                releases.submit(new Release(claim, workerId, "INTERRUPTED", Duration.ZERO, null));
        };
    }

    private record Ending(
            Claim claim,
            String status,
            @Nullable JsonNode output,
            @Nullable JsonNode error) {}

    private record Waiting(Claim claim, Duration delay) {}

    private record Release(
            Claim claim,
            UUID workerId,
            String status,
            Duration delay,
            @Nullable JsonNode error) {}

    // id = ANY beside the join gives the planner the primary key even when its statistics are stale.
    private static final String END = """
            WITH d AS (
              DELETE FROM exec_live q
              USING unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[])
                AS u(id, token, status, output, error, log)
              WHERE q.execution_id = ANY($1::uuid[]) AND q.execution_id = u.id AND q.lease_token = u.token
              RETURNING q.execution_id, q.job_id, q.region, q.lane, q.attempt, q.config_version, q.endpoint_version,
                        q.worker_id, q.run_at, q.started_at, q.created_at, u.token, u.status, u.output, u.error, u.log
            ), x AS (
              INSERT INTO executions (execution_id, job_id, region, lane, status, attempt_count, config_version,
                endpoint_version, worker_id, output, error, run_at, started_at, completed_at, created_at)
              SELECT execution_id, job_id, region, lane, status, attempt, config_version,
                endpoint_version, worker_id, output::json, error::json, run_at, started_at, now(), created_at
              FROM d
            ), g AS (
              INSERT INTO execution_logs (execution_id, log_id, region, attempt_number, level, message, logged_at)
              SELECT execution_id, gen_random_uuid(), region, attempt, 'ERROR', log, now() FROM d WHERE log IS NOT NULL
            ), s AS (
              INSERT INTO job_stats (job_id, hour, status, bucket, count, total_ms)
              SELECT job_id, date_trunc('hour', now()), status, ceil(ln(ms + 1) * 10)::smallint, count(*), sum(ms)::bigint
              FROM d, LATERAL (SELECT greatest(extract(epoch FROM now() - d.started_at)::float8 * 1000, 0)) AS t(ms)
              WHERE execution_id <> job_id
              GROUP BY 1, 3, 4
              ORDER BY 1, 3, 4
              ON CONFLICT (job_id, hour, status, bucket)
              DO UPDATE SET count = job_stats.count + excluded.count, total_ms = job_stats.total_ms + excluded.total_ms
            )
            SELECT execution_id, token FROM d
            """;

    private Uni<List<Boolean>> endAll(List<Ending> endings) {
        var claims = endings.stream().map(Ending::claim).toList();
        var parameters = idsAndTokens(claims)
                .addValue(endings.stream().map(Ending::status).toArray(String[]::new))
                .addValue(endings.stream().map(e -> Json.text(e.output())).toArray(String[]::new))
                .addValue(endings.stream().map(e -> Json.text(e.error())).toArray(String[]::new))
                .addValue(endings.stream().map(ResultRecorder::log).toArray(String[]::new));
        return database.run(END, parameters).map(rows -> held(claims, rows));
    }

    private static final String RELEASE = """
            WITH r AS (
              UPDATE exec_live q
              SET visible_at = now() + u.delay_ms * interval '1 millisecond', lease_token = NULL, worker_id = NULL,
                  failures = q.failures + CASE WHEN u.status = 'FAILED' THEN 1 ELSE 0 END
              FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::bigint[], $5::text[], $6::uuid[], $7::text[])
                AS u(id, token, status, delay_ms, error, worker_id, log)
              WHERE q.execution_id = ANY($1::uuid[]) AND q.execution_id = u.id AND q.lease_token = u.token
              RETURNING q.execution_id, q.region, q.attempt, q.started_at, u.token, u.status, u.error, u.worker_id,
                        u.log
            ), a AS (
              INSERT INTO attempts (execution_id, attempt_number, region, status, worker_id, error, started_at, completed_at)
              SELECT execution_id, attempt, region, status, worker_id, error::json, started_at, now() FROM r
            ), g AS (
              INSERT INTO execution_logs (execution_id, log_id, region, attempt_number, level, message, logged_at)
              SELECT execution_id, gen_random_uuid(), region, attempt, 'WARN', log, now() FROM r
            )
            SELECT execution_id, token FROM r
            """;

    private Uni<List<Boolean>> releaseAll(List<Release> releases) {
        var claims = releases.stream().map(Release::claim).toList();
        var parameters = idsAndTokens(claims)
                .addValue(releases.stream().map(Release::status).toArray(String[]::new))
                .addValue(releases.stream().map(r -> r.delay().toMillis()).toArray(Long[]::new))
                .addValue(releases.stream().map(r -> Json.text(r.error())).toArray(String[]::new))
                .addValue(releases.stream().map(Release::workerId).toArray(UUID[]::new))
                .addValue(releases.stream().map(ResultRecorder::log).toArray(String[]::new));
        return database.run(RELEASE, parameters).invoke(() -> signal(releases)).map(rows -> held(claims, rows));
    }

    private static final String WAIT = """
            UPDATE exec_live q
            SET visible_at = now() + u.delay_ms * interval '1 millisecond', attempt = q.attempt - 1, lease_token = NULL,
                worker_id = NULL, started_at = NULL
            FROM unnest($1::uuid[], $2::bigint[], $3::bigint[]) AS u(id, token, delay_ms)
            WHERE q.execution_id = ANY($1::uuid[]) AND q.execution_id = u.id AND q.lease_token = u.token
            RETURNING q.execution_id, u.token
            """;

    private Uni<List<Boolean>> waitAll(List<Waiting> waits) {
        var claims = waits.stream().map(Waiting::claim).toList();
        var parameters = idsAndTokens(claims)
                .addValue(waits.stream().map(w -> w.delay().toMillis()).toArray(Long[]::new));
        // Only those who sleep here have reckoned with the end of the lease.
        return database.run(WAIT, parameters).invoke(dueSignal::heard).map(rows -> held(claims, rows));
    }

    /** What ends well needs no line: its attempt says it all. */
    private static @Nullable String log(Ending ending) {
        var error = ending.error();
        return error == null ? null : "failed for good: " + reason(error);
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

    private static List<Boolean> held(List<Claim> claims, RowSet<Row> rows) {
        var written =
                new HashSet<>(Columns.list(rows, row -> new Fence(row.getUUID("execution_id"), row.getLong("token"))));
        return claims.stream()
                .map(claim -> written.contains(new Fence(claim.executionId(), claim.leaseToken())))
                .toList();
    }

    /** Both, since a process may have lost an execution and claimed it again, and all of one claim have one token. */
    private record Fence(UUID executionId, long token) {}

    private static Tuple idsAndTokens(List<Claim> claims) {
        return Tuple.tuple()
                .addValue(claims.stream().map(Claim::executionId).toArray(UUID[]::new))
                .addValue(claims.stream().map(Claim::leaseToken).toArray(Long[]::new));
    }
}
