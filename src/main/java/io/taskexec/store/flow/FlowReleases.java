package io.taskexec.store.flow;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.sql.Batcher;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.wakeup.DueSignal;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jboss.logging.Logger;

/**
 * Releases executions that are parked in the lines of flow keys. Nothing else does, so that a place of a key is given
 * to one execution, however many ends, creations and claims ask for it.
 */
@Singleton
public final class FlowReleases {
    private static final Logger LOG = Logger.getLogger(FlowReleases.class);

    /** Free executions of a fair key that wait in its lane at most. */
    public static final int WINDOW = 32;

    /**
     * How long a claim waits for a statement that follows it: what has been claimed would be taken for lost, and handed
     * back, while it has yet to begin.
     */
    public static final Duration FOLLOW_UP = Duration.ofSeconds(1);

    /** Keys that one transaction looks at. */
    public static final int MOST_KEYS = 500;

    /** Executions at the head of a line that are passed over while their queues are paused. */
    private static final int MOST_PASSED_OVER = 1_000;

    private static final Batcher.Limits LIMITS = new Batcher.Limits(MOST_KEYS, 100_000, 1);

    private final Database database;
    private final DueSignal dueSignal;
    private final boolean isAsked;
    private final Batcher<Long, Integer> requests;

    @Inject
    public FlowReleases(Database database, DueSignal dueSignal) {
        this(database, dueSignal, true);
    }

    private FlowReleases(Database database, DueSignal dueSignal, boolean isAsked) {
        this.database = database;
        this.dueSignal = dueSignal;
        this.isAsked = isAsked;
        this.requests = new Batcher<>("flow keys to be released", LIMITS, this::releaseAll);
    }

    /** Ignores requests, as for a transaction that is rolled back. */
    public static FlowReleases none(Database database) {
        return new FlowReleases(database, new DueSignal(), false);
    }

    /**
     * Releases soon what waits for places that a statement has given back, or that has just been parked. A release that
     * fails is made up for later: what was to be done is noted in the database.
     *
     * @param answer its first row has the keys in the column {@code waiting_flow_ids}
     */
    public void after(RowSet<Row> answer) {
        if (answer.size() > 0) {
            request(ids(answer.iterator().next(), "waiting_flow_ids"));
        }
    }

    /** The same, of keys that are known. */
    public void request(Collection<Long> flowIds) {
        if (!isAsked) {
            return;
        }
        flowIds.forEach(id -> requests.submit(id)
                .subscribe()
                .with(_ -> {}, failure -> LOG.warnf("flow key %d is released later: %s", id, failure)));
    }

    /**
     * Does what follows from a claim of executions with flow keys, which may have parked or delayed some.
     *
     * @param admitted how many have been claimed
     */
    public Uni<Void> claimed(RowSet<Row> answer, int admitted) {
        after(answer);
        var first = answer.iterator().next();
        var flow = database.metrics().flow();
        flow.admitted(admitted);
        flow.parked(first.getLong("parked"));
        flow.delayed(first.getLong("delayed"));
        // What was claimed of other keys must begin all the same; the next claim tells of these keys again.
        return restore(ids(first, "unknown_flow_ids"))
                .onFailure()
                .invoke(failure -> LOG.debug("flow keys without counters get them later", failure))
                .onFailure()
                .recoverWithNull();
    }

    /** The keys in a column; none when it is null. */
    public static List<Long> ids(Row row, String column) {
        var ids = row.getArrayOfLongs(column);
        return ids == null ? List.of() : Arrays.asList(ids);
    }

    private Uni<List<Integer>> releaseAll(List<Long> flowIds) {
        return release(flowIds).map(count -> Collections.nCopies(flowIds.size(), count));
    }

    // Of each key one execution is read, however many are free. Its job is looked up for it: the inner limit keeps the
    // planner from beginning with the jobs.
    static final String RESTORE = """
            INSERT INTO flow_limits (flow_id, endpoint, flow_key)
            SELECT missing.flow_id, first.endpoint,
              CASE WHEN first.flow_id = missing.flow_id THEN first.flow_key ELSE '' END
            FROM unnest($1::bigint[]) AS missing(flow_id), LATERAL (
                SELECT j.endpoint, j.flow_id, j.flow_key
                FROM exec_live l, LATERAL (
                    SELECT endpoint, flow_id, flow_key FROM jobs WHERE job_id = l.job_id LIMIT 1
                  ) AS j
                WHERE l.flow_id = missing.flow_id AND l.flow_state < 2
                LIMIT 1
              ) AS first
            ORDER BY missing.flow_id
            ON CONFLICT (flow_id) DO NOTHING
            """;

    /** Makes the counters of keys that have none yet. */
    private Uni<Void> restore(List<Long> flowIds) {
        return flowIds.isEmpty()
                ? Uni.createFrom().voidItem()
                : database.run(RESTORE, Tuple.tuple().addValue(flowIds.toArray(Long[]::new)))
                        .invoke(dueSignal::raise)
                        .ifNoItem()
                        .after(FOLLOW_UP)
                        .fail()
                        .replaceWithVoid();
    }

    private static final String FIRST_OF_STRICT = """
            OR (p.fifo IS TRUE AND NOT EXISTS (
                  SELECT 1 FROM exec_live h
                  WHERE h.flow_id = f.flow_id AND h.flow_state = 1 AND h.flow_line = 0
                    AND (h.run_at, h.execution_id) < (due.run_at, due.execution_id)))""";

    private static final String AGES = """
            SELECT EXISTS (SELECT 1 FROM queues WHERE aging_ms IS NOT NULL AND deleted_at IS NULL)""";

    private static final String LOCK = """
            SELECT flow_id FROM flow_limits WHERE flow_id = ANY($1::bigint[]) ORDER BY flow_id FOR UPDATE
            """;

    // A statement after the lock: its snapshot has all that was written by those it waited for. Executions are locked
    // only when no other transaction has them: one that cancels may want the limit of its key next. Such a one is
    // passed over, and the end of the other asks for another release; since that may be an application, which takes its
    // cancellation back, one follows in any case. One that was moved to another key before it was locked is left alone.
    //
    // The array of ids gives the planner the primary key: it takes the heads for as many as the line is long.
    //
    // Where a queue ages, what has waited for long rises, as in the lanes: of each priority those that have waited for
    // longest are compared, so that no line is read as a whole. Among equally urgent ones those come first that have
    // aged most, or least. Without such a queue the second part of the heads is not begun, and the first one otherwise.
    //
    // Free executions that are due, or wait for their token, will take places and tokens: they count as taken, but for
    // those of paused queues, which a line passes over unless its order is strict and they come first. One that waits
    // for free ones, or is held back by pauses, is looked at again, since a pause or its end may go unheard. Where the
    // order is strict a released execution holds its place and its token at once, since no claim would give it them.
    static final String RELEASE = """
            WITH keys AS MATERIALIZED (
              SELECT f.flow_id, f.open, coalesce(p.fifo, false) AS fifo, free.n AS free,
                least(
                  c.cap - f.open,
                  CASE WHEN p.fair THEN $2::int END,
                  floor(extract(epoch FROM now() + interval '1 second' - t.first_token)::float8
                    / extract(epoch FROM t.spacing)::float8)::int + 1,
                  $3::int) - free.n AS room,
                c.cap - f.open - free.n AS places,
                t.first_token + free.n * t.spacing AS next_token, t.spacing
              FROM flow_limits f
              LEFT JOIN flow_policies p ON p.endpoint = f.endpoint,
              LATERAL (SELECT least(p.max_concurrency, p.adaptive_limit)) AS c(cap),
              LATERAL (SELECT p.rate_spacing_us * interval '1 microsecond') AS s(spacing),
              LATERAL (SELECT s.spacing, greatest(f.tat, now()) - (p.rate_burst - 1) * s.spacing)
                AS t(spacing, first_token),
              LATERAL (%1$s) AS free(n)
              WHERE f.flow_id = ANY($1::bigint[])
            ), heads AS MATERIALIZED (
              SELECT head.execution_id, keys.flow_id, keys.fifo,
                keys.next_token + (row_number() OVER (
                  PARTITION BY keys.flow_id
                  ORDER BY head.urgency, head.turn, head.run_at, head.execution_id) - 1) * keys.spacing AS token_at
              FROM keys, LATERAL (
                (SELECT few.execution_id, few.flow_line::float8 AS urgency, 0 AS turn, few.run_at FROM (
                   SELECT x.execution_id, x.flow_line, x.run_at, x.lane FROM exec_live x
                   WHERE x.flow_id = keys.flow_id AND x.flow_state = 1
                   ORDER BY x.flow_line, x.run_at, x.execution_id
                   LIMIT %3$d) AS few
                 WHERE (keys.fifo OR NOT (%5$s)) AND (keys.fifo OR %2$s)
                 ORDER BY few.flow_line, few.run_at, few.execution_id
                 LIMIT greatest(keys.room, 0))
                UNION ALL
                (SELECT aged.execution_id, aged.urgency,
                   CASE WHEN $4::boolean THEN -aged.flow_line ELSE aged.flow_line END AS turn, aged.run_at
                 FROM generate_series(0, 7) AS line(number), LATERAL (
                   SELECT few.execution_id, few.flow_line, few.run_at,
                     greatest(few.flow_line::float8 - greatest((
                       SELECT floor((extract(epoch FROM now() - few.run_at) * 1000)::float8 / q.aging_ms::float8)
                       FROM queues q WHERE q.queue_id = %6$s), 0), 0) AS urgency
                   FROM (
                     SELECT x.execution_id, x.flow_line, x.run_at, x.lane FROM exec_live x
                     WHERE x.flow_id = keys.flow_id AND x.flow_state = 1 AND x.flow_line = line.number
                     ORDER BY x.run_at, x.execution_id
                     LIMIT %3$d) AS few
                   WHERE %2$s
                   ORDER BY few.run_at, few.execution_id
                   LIMIT greatest(keys.room, 0)) AS aged
                 WHERE NOT keys.fifo AND (%5$s)
                 ORDER BY aged.urgency, turn, aged.run_at, aged.execution_id
                 LIMIT greatest(keys.room, 0))
              ) AS head
            ), locked AS MATERIALIZED (
              SELECT execution_id FROM exec_live
              WHERE execution_id = ANY(ARRAY(SELECT execution_id FROM heads)) AND flow_state = 1
              FOR UPDATE SKIP LOCKED
            ), released AS (
              UPDATE exec_live live
              SET flow_state = CASE WHEN heads.fifo THEN 2 ELSE 0 END, visible_at = greatest(heads.token_at, now())
              FROM heads
              WHERE heads.execution_id = live.execution_id AND heads.flow_id = live.flow_id
                AND live.execution_id = ANY(ARRAY(SELECT execution_id FROM locked))
              RETURNING live.execution_id, live.flow_id
            ), rest AS (
              SELECT keys.flow_id, keys.places > given.n OR keys.places IS NULL AS has_place,
                keys.next_token + given.n * keys.spacing AS token_at,
                EXISTS (
                  SELECT 1 FROM heads h
                  WHERE h.flow_id = keys.flow_id
                    AND (h.execution_id IN (SELECT execution_id FROM released)) IS NOT TRUE) AS passes_over,
                (SELECT count(*) FROM heads h WHERE h.flow_id = keys.flow_id) < keys.room AS held_back
              FROM keys,
              LATERAL (SELECT count(*) AS n FROM released r WHERE r.flow_id = keys.flow_id) AS given
              WHERE EXISTS (
                SELECT 1 FROM exec_live x
                WHERE x.flow_id = keys.flow_id AND x.flow_state = 1
                  AND (x.execution_id IN (SELECT execution_id FROM released)) IS NOT TRUE)
            ), counted AS (
              UPDATE flow_limits f
              SET open = f.open + CASE WHEN keys.fifo THEN given.n ELSE 0 END,
                  tat = CASE WHEN keys.fifo AND keys.spacing IS NOT NULL AND given.n > 0
                    THEN greatest(f.tat, now()) + keys.spacing ELSE f.tat END,
                  release_at = (SELECT CASE
                    WHEN rest.has_place AND rest.token_at IS NOT NULL AND (rest.passes_over OR NOT rest.held_back)
                    THEN greatest(rest.token_at - interval '500 milliseconds', now() + interval '100 milliseconds')
                    WHEN rest.passes_over THEN now() + interval '1 second'
                    WHEN keys.free > 0 OR rest.held_back OR (given.n > 0 AND NOT keys.fifo)
                    THEN least(now() + interval '1 minute', (SELECT min(paused_until) FROM queues WHERE %4$s)) END
                    FROM rest WHERE rest.flow_id = keys.flow_id),
                  lined = EXISTS (SELECT 1 FROM rest WHERE rest.flow_id = keys.flow_id)
              FROM keys, LATERAL (SELECT count(*)::int AS n FROM released r WHERE r.flow_id = keys.flow_id) AS given
              WHERE f.flow_id = keys.flow_id
            )
            SELECT count(*) AS released FROM released
            """.formatted(
                    FlowPlaces.free(
                            "f.flow_id",
                            "now() + interval '1 second'",
                            "$3::bigint",
                            FlowPlaces.isOpen("due.lane") + " " + FIRST_OF_STRICT),
                    FlowPlaces.isOpen("few.lane"),
                    MOST_PASSED_OVER,
                    Lanes.IS_PAUSED,
                    AGES,
                    Lanes.queue("few.lane"));

    /** Releases as many executions of these keys as have room; returns how many those were. */
    public Uni<Integer> release(Collection<Long> flowIds) {
        if (flowIds.isEmpty()) {
            return Uni.createFrom().item(0);
        }
        var ids = flowIds.stream().distinct().limit(MOST_KEYS).toArray(Long[]::new);
        return database.withTransaction(transaction -> Database.on(
                                transaction, LOCK, Tuple.tuple().addValue(ids))
                        .chain(() -> release(transaction, ids)))
                .invoke(count -> {
                    database.metrics().flow().released(count);
                    if (count > 0) {
                        dueSignal.raise();
                    }
                });
    }

    private Uni<Integer> release(SqlConnection transaction, Long[] ids) {
        return Database.on(
                        transaction,
                        database.keepingPlan(RELEASE),
                        Tuple.tuple()
                                .addValue(ids)
                                .addInteger(WINDOW)
                                .addInteger(MOST_KEYS)
                                // Half of the time, so that neither those that have aged nor those that are urgent by
                                // themselves wait for all of the others.
                                .addBoolean(ThreadLocalRandom.current().nextBoolean()))
                .map(rows -> Math.toIntExact(rows.iterator().next().getLong("released")));
    }

    // The conditions are those of the locked row, so a key whose line begins meanwhile stays. One that goes although
    // executions of it are free gets its counters again when they are claimed.
    private static final String DELETE_IDLE = """
            DELETE FROM flow_limits WHERE flow_id = ANY(ARRAY(
              SELECT flow_id FROM flow_limits
              WHERE open = 0 AND NOT lined AND release_at IS NULL AND tat <= now()
              ORDER BY flow_id
              LIMIT $1::bigint
              FOR UPDATE SKIP LOCKED))
            """;

    /** Removes the counters of keys that have nothing to count; returns how many those were. */
    public Uni<Integer> deleteIdle(int most) {
        return database.run(DELETE_IDLE, Tuple.of((long) most)).map(RowSet::rowCount);
    }

    private static final String SELECT_DUE = """
            SELECT flow_id FROM flow_limits WHERE release_at <= now() ORDER BY release_at LIMIT $1::bigint
            """;

    private static final String SELECT_REQUESTS =
            "SELECT request_id, flow_id FROM flow_requests ORDER BY request_id LIMIT $1::bigint";

    private static final String DELETE_REQUESTS = "DELETE FROM flow_requests WHERE request_id = ANY($1::bigint[])";

    /** Releases what applications have made room for, which have no other way to ask for it. */
    public Uni<Void> releaseRequested() {
        return database.run(SELECT_REQUESTS, Tuple.of((long) MOST_KEYS)).chain(rows -> {
            var requests = Columns.list(rows, row -> row.getLong("request_id"));
            return requests.isEmpty()
                    ? Uni.createFrom().voidItem()
                    : release(Columns.list(rows, row -> row.getLong("flow_id")))
                            .chain(() -> database.run(
                                    DELETE_REQUESTS, Tuple.tuple().addValue(requests.toArray(Long[]::new))))
                            .replaceWithVoid();
        });
    }

    /** The keys whose time for a release has come: a token is there, or who was to release died before. */
    public Uni<List<Long>> due() {
        return database.run(SELECT_DUE, Tuple.of((long) MOST_KEYS))
                .map(rows -> Columns.list(rows, row -> row.getLong("flow_id")));
    }
}
