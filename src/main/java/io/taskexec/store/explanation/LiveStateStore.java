package io.taskexec.store.explanation;

import static io.taskexec.store.sql.Columns.instant;
import static io.taskexec.store.sql.Columns.instantOrNull;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.store.dependency.DependencyStatement;
import io.taskexec.store.execution.ExecutionStore;
import io.taskexec.store.execution.ExpiryStatement;
import io.taskexec.store.explanation.LiveState.Fleet;
import io.taskexec.store.explanation.LiveState.KeyState;
import io.taskexec.store.explanation.LiveState.Owner;
import io.taskexec.store.explanation.LiveState.QueueState;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.Lanes;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads an execution that has not ended with its queue, its flow key and the workers that may claim it. */
@Singleton
public final class LiveStateStore {
    /** A worker that was not heard of for so long does not count: it reports every 5 seconds. */
    public static final Duration SILENCE = Duration.ofSeconds(30);

    /** Parents that are listed: a job has at most so many. */
    private static final int MOST_PARENTS = 100;

    private final Database database;

    public LiveStateStore(Database database) {
        this.database = database;
    }

    // One row by its primary key, and of what it depends on one row each; there is one row for each worker.
    static final String SELECT = """
            SELECT now() AS at, live.lane, live.run_at, live.attempt, live.started_at, live.rescues, live.trigger_rule,
              CASE WHEN live.visible_at < %1$s THEN live.visible_at END AS visible_at,
              live.visible_at <= now() AS due, live.lease_token IS NOT NULL AS leased, live.deferred,
              %7$s AS status, %2$s AS expiry, live.worker_id, w.host, w.last_seen_at,
              coalesce(w.last_seen_at > now() - interval '%3$d seconds', false) AS heard_of,
              q.name AS queue, CASE WHEN %4$s THEN q.paused_at END AS paused_at, q.paused_until, q.pause_reason,
              CASE WHEN q.paused_until <= now() THEN q.paused_until ELSE q.resumed_at END AS resumed_at,
              q.max_concurrency AS queue_cap, q.pulled, q.asked_at,
              lim.tat - (q.rate_burst - 1)::float8 * (q.rate_per_ms::float8 / q.rate_limit::float8)
                * interval '1 millisecond' AS queue_token_at,
              fleet.region, s.adopted_by, fleet.workers, fleet.slots, fleet.free_slots, fleet.least_urgent,
              live.flow_id, live.flow_state, coalesce(f.flow_key, '') AS flow_key, coalesce(f.open, 0) AS open,
              p.max_concurrency AS key_cap, p.adaptive_limit, p.rate_spacing_us,
              greatest(f.tat, now()) - (p.rate_burst - 1) * p.rate_spacing_us * interval '1 microsecond'
                AS key_token_at
            FROM exec_live live
            JOIN queues q ON q.queue_id = %5$s
            LEFT JOIN queue_limits lim ON lim.queue_id = q.queue_id
            LEFT JOIN region_status s ON s.number = %6$s
            LEFT JOIN workers w ON w.worker_id = live.worker_id
            LEFT JOIN flow_limits f ON f.flow_id = live.flow_id
            LEFT JOIN flow_policies p ON p.endpoint = f.endpoint,
              LATERAL (
                SELECT coalesce(s.region, live.region) AS region, count(*)::int AS workers,
                  coalesce(sum(x.slots), 0)::int AS slots,
                  coalesce(sum(x.slots - x.used_slots), 0)::int AS free_slots,
                  max(coalesce((x.activity ->> 'least_urgent')::int, 7)) AS least_urgent
                FROM workers x
                WHERE (x.region = coalesce(s.region, live.region) OR x.region = s.adopted_by)
                  AND x.last_seen_at > now() - interval '%3$d seconds'
              ) AS fleet
            WHERE live.execution_id = $1::uuid
            """.formatted(
                    DependencyStatement.WAITING_TIME,
                    ExpiryStatement.TIME,
                    SILENCE.toSeconds(),
                    Lanes.IS_PAUSED,
                    Lanes.queue("live.lane"),
                    Lanes.region("live.lane"),
                    ExecutionStore.liveStatus("live").strip());

    /** Returns null when no execution of that id has not ended. */
    public Uni<@Nullable LiveState> find(UUID executionId) {
        return database.run(SELECT, Tuple.of(executionId)).map(rows -> Columns.first(rows, LiveStateStore::read));
    }

    private static LiveState read(Row row) {
        return new LiveState(
                instant(row, "at"),
                ExecutionStatus.valueOf(row.getString("status")),
                row.getInteger("lane"),
                instant(row, "run_at"),
                instantOrNull(row, "visible_at"),
                row.getBoolean("due"),
                row.getBoolean("leased"),
                row.getBoolean("deferred"),
                row.getInteger("attempt"),
                instantOrNull(row, "started_at"),
                row.getInteger("rescues"),
                row.getInteger("trigger_rule"),
                instantOrNull(row, "expiry"),
                owner(row),
                new QueueState(
                        row.getString("queue"),
                        instantOrNull(row, "paused_at"),
                        instantOrNull(row, "paused_until"),
                        row.getString("pause_reason"),
                        instantOrNull(row, "resumed_at"),
                        row.getInteger("queue_cap"),
                        instantOrNull(row, "queue_token_at"),
                        row.getBoolean("pulled"),
                        instantOrNull(row, "asked_at")),
                fleet(row),
                key(row));
    }

    private static @Nullable Owner owner(Row row) {
        var id = row.getUUID("worker_id");
        return id == null
                ? null
                : new Owner(id, row.getString("host"), instantOrNull(row, "last_seen_at"), row.getBoolean("heard_of"));
    }

    private static Fleet fleet(Row row) {
        var leastUrgent = row.getInteger("least_urgent");
        return new Fleet(
                row.getString("region"),
                row.getString("adopted_by"),
                row.getInteger("workers"),
                row.getInteger("slots"),
                row.getInteger("free_slots"),
                leastUrgent == null ? Lanes.PRIORITIES - 1 : leastUrgent);
    }

    private static @Nullable KeyState key(Row row) {
        var id = row.getLong("flow_id");
        var spacing = row.getLong("rate_spacing_us");
        return id == null
                ? null
                : new KeyState(
                        id,
                        row.getString("flow_key"),
                        row.getInteger("flow_state"),
                        row.getInteger("open"),
                        row.getInteger("key_cap"),
                        row.getInteger("adaptive_limit"),
                        instantOrNull(row, "key_token_at"),
                        spacing == null ? null : Duration.ofNanos(spacing * 1000));
    }

    /**
     * An execution that another one waits for.
     *
     * @param name by which templates know it; empty for a job of a run
     * @param status null when it has ended and is not counted yet
     */
    public record Parent(
            UUID jobId,
            String name,
            String endpoint,
            @Nullable String status) {}

    static final String PARENTS = """
            SELECT e.parent_id, e.name, j.endpoint,
              CASE WHEN l.execution_id IS NOT NULL THEN %s END AS status
            FROM job_edges e
            JOIN jobs j ON j.job_id = e.parent_id
            LEFT JOIN exec_live l ON l.execution_id = e.parent_id
            LEFT JOIN ended_parents n ON n.execution_id = e.parent_id
            WHERE e.child_id = $1::uuid AND NOT e.ended
              AND (l.execution_id IS NOT NULL OR n.execution_id IS NOT NULL)
            ORDER BY e.name, e.parent_id
            LIMIT $2::bigint
            """.formatted(ExecutionStore.liveStatus("l"));

    /** The executions that one waits for, at most 100. */
    public Uni<List<Parent>> openParents(UUID executionId) {
        return database.run(PARENTS, Tuple.of(executionId, (long) MOST_PARENTS))
                .map(rows -> Columns.list(
                        rows,
                        row -> new Parent(
                                row.getUUID("parent_id"),
                                row.getString("name"),
                                row.getString("endpoint"),
                                row.getString("status"))));
    }
}
