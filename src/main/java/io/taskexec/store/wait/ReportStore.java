package io.taskexec.store.wait;

import static io.taskexec.store.sql.Columns.millisOrNull;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.wait.Completion;
import io.taskexec.model.wait.Report;
import io.taskexec.store.sql.Batcher;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.EventedStatement;
import io.taskexec.store.sql.Fence;
import io.taskexec.store.wakeup.DueSignal;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/** Records what receivers report of work that goes on: signs of life, progress, and that they need more time. */
@Singleton
public final class ReportStore {
    private final Database database;
    private final DueSignal dueSignal;
    private final String report;
    private final Batcher<Wanted, Boolean> reports;

    public ReportStore(Database database, DueSignal dueSignal) {
        this.database = database;
        this.dueSignal = dueSignal;
        this.report = database.form(REPORT);
        this.reports = new Batcher<>("reports of receivers", Fence.LIMITS, this::recordAll);
    }

    private record Wanted(UUID executionId, int attempt, Report report) {}

    // The row of the execution is locked, so that the attempt has not ended, and does not before this is committed. The
    // terms may have been written since this statement began, so they are not searched for: the upsert finds the
    // latest. A receiver may ask for more time before its answer is recorded, which leaves a row as well. A worker that
    // looks after the execution at this moment may have read the terms before: where these have changed it loses its
    // lease, and the next look sees this.
    private static final EventedStatement REPORT = EventedStatement.of(
            """
            WITH valid AS MATERIALIZED (
              SELECT live.execution_id, live.job_id, live.attempt, live.deferred, live.lease_token, %1$s AS n
              FROM exec_live live
              WHERE live.execution_id = ANY($1::uuid[])
                AND ($2::int[])[%1$s] BETWEEN live.callback_from AND live.attempt
              ORDER BY live.execution_id
              FOR UPDATE
            ), heard AS (
              INSERT INTO deferrals AS known (execution_id, attempt, mode, since, deadline, heard_at)
              SELECT execution_id, attempt, 'callback', now(),
                now() + coalesce(($3::bigint[])[n], 0) * interval '1 millisecond', now()
              FROM valid WHERE deferred OR ($3::bigint[])[n] IS NOT NULL
              ON CONFLICT (execution_id) DO UPDATE
              SET heard_at = excluded.heard_at, attempt = excluded.attempt,
                  deadline = CASE WHEN %4$s THEN greatest(known.deadline,
                      least(excluded.deadline, known.since + $7::bigint * interval '1 millisecond'))
                    ELSE excluded.deadline END,
                  since = CASE WHEN %4$s THEN known.since ELSE excluded.since END,
                  mode = CASE WHEN %4$s THEN known.mode ELSE excluded.mode END,
                  poll_every_ms = CASE WHEN %4$s THEN known.poll_every_ms END,
                  poll_url = CASE WHEN %4$s THEN known.poll_url END,
                  heartbeat_ms = CASE WHEN %4$s THEN known.heartbeat_ms END
              RETURNING known.execution_id, known.heartbeat_ms
            ), freed AS (
              UPDATE exec_live live
              SET lease_token = NULL, visible_at = now()
              WHERE live.execution_id = ANY(ARRAY(
                  SELECT valid.execution_id FROM valid JOIN heard ON heard.execution_id = valid.execution_id
                  WHERE valid.deferred AND valid.lease_token IS NOT NULL
                    AND (($3::bigint[])[valid.n] IS NOT NULL OR heard.heartbeat_ms IS NOT NULL)))
              RETURNING live.execution_id
            ), progress AS (
              INSERT INTO execution_progress AS known (execution_id, attempt, done, total, message, reported_at,
                window_done, window_at, next_done, next_at)
              SELECT execution_id, attempt, ($4::float8[])[n], ($5::float8[])[n], ($6::text[])[n], now(),
                ($4::float8[])[n], now(), ($4::float8[])[n], now()
              FROM valid WHERE ($4::float8[])[n] IS NOT NULL
              ON CONFLICT (execution_id) DO UPDATE
              SET attempt = excluded.attempt, done = excluded.done, total = excluded.total,
                  message = excluded.message, reported_at = excluded.reported_at,
                  window_done = CASE WHEN %2$s THEN excluded.done WHEN %3$s THEN known.next_done
                    ELSE known.window_done END,
                  window_at = CASE WHEN %2$s THEN now() WHEN %3$s THEN known.next_at ELSE known.window_at END,
                  next_done = CASE WHEN %2$s OR %3$s THEN excluded.done ELSE known.next_done END,
                  next_at = CASE WHEN %2$s OR %3$s THEN now() ELSE known.next_at END
              RETURNING execution_id, attempt, done, total, message
            )
            """.formatted(
                            Fence.PLACE,
                            "known.attempt <> excluded.attempt OR excluded.done < known.done",
                            "known.next_at <= now() - interval '30 seconds'",
                            "known.attempt = excluded.attempt"),
            """
            (execution_id, job_id, kind, attempt, detail)
              SELECT valid.execution_id, valid.job_id, 'PROGRESS', valid.attempt,
                json_build_object('status', CASE WHEN valid.deferred THEN 'DEFERRED'
                  WHEN valid.lease_token IS NULL THEN 'RETRYING' ELSE 'RUNNING' END, 'progress',
                  json_build_object('current', progress.done, 'total', progress.total, 'message', progress.message))
              FROM progress JOIN valid ON valid.execution_id = progress.execution_id
            """,
            """
            SELECT execution_id, n, (SELECT count(*) FROM freed) AS freed FROM valid
            """);

    /** Records a report of an attempt; returns false when that has ended, so that nothing was recorded. */
    public Uni<Boolean> record(UUID executionId, int attempt, Report report) {
        return reports.submit(new Wanted(executionId, attempt, report));
    }

    private Uni<List<Boolean>> recordAll(List<Wanted> batch) {
        return recordRounds(batch)
                .map(recorded -> batch.stream().map(recorded::contains).toList());
    }

    /** Of one execution a statement takes one report; others follow in their order. */
    private Uni<Set<Wanted>> recordRounds(List<Wanted> batch) {
        var first = new LinkedHashMap<UUID, Wanted>();
        var rest = new ArrayList<Wanted>();
        batch.forEach(wanted -> {
            if (first.putIfAbsent(wanted.executionId(), wanted) != null) {
                rest.add(wanted);
            }
        });
        var recorded = recordEach(List.copyOf(first.values()));
        return rest.isEmpty()
                ? recorded
                : recorded.chain(some -> recordRounds(rest).map(others -> {
                    some.addAll(others);
                    return some;
                }));
    }

    /** Returns those that were recorded. */
    private Uni<Set<Wanted>> recordEach(List<Wanted> wanted) {
        var all = wanted.stream().map(Wanted::report).toList();
        var parameters = Tuple.tuple()
                .addValue(wanted.stream().map(Wanted::executionId).toArray(UUID[]::new))
                .addValue(wanted.stream().map(Wanted::attempt).toArray(Integer[]::new))
                .addValue(all.stream().map(r -> millisOrNull(r.extend())).toArray(Long[]::new))
                .addValue(all.stream().map(Report::current).toArray(Double[]::new))
                .addValue(all.stream().map(Report::total).toArray(Double[]::new))
                .addValue(all.stream().map(Report::message).toArray(String[]::new))
                .addLong(Completion.LONGEST.toMillis());
        return database.run(report, parameters).map(rows -> {
            var valid = new HashSet<UUID>();
            rows.forEach(row -> valid.add(row.getUUID("execution_id")));
            if (rows.size() > 0 && rows.iterator().next().getLong("freed") > 0) {
                dueSignal.raise();
            }
            return wanted.stream()
                    .filter(each -> valid.contains(each.executionId()))
                    .collect(Collectors.toCollection(HashSet::new));
        });
    }
}
