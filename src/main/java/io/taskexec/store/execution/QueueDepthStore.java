package io.taskexec.store.execution;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.dependency.JoinStatement;
import io.taskexec.store.endpoint.QueueStore;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.Lanes;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.util.List;

/** Measures the depth of queues by a bounded look at the index. */
@Singleton
public final class QueueDepthStore {
    /** The limit of the count of one queue and state. */
    private static final int MOST = 100_000;

    /** The limit of the count of all queues and one state, unless there are so many queues that each has few. */
    private static final int MOST_OF_ALL = 200_000;

    private static final int FEWEST = 2_000;

    /** The same for a quick look: a few milliseconds, however much waits. */
    private static final int MOST_QUICKLY = 10_000;

    private static final int MOST_OF_ALL_QUICKLY = 20_000;
    private static final int FEWEST_QUICKLY = 20;

    /** Whether something runs is not in the index, so fewer are looked at. */
    private static final int RUNNING_PART = 10;

    private final Database database;

    public QueueDepthStore(Database database) {
        this.database = database;
    }

    /**
     * A queue; the numbers are at least these.
     *
     * @param ready executions that a worker may claim
     * @param scheduled those that wait for their time, for the next attempt or for their receiver
     * @param parked those that wait for others of their flow key
     * @param running those that a worker has a lease of
     * @param oldestAge for how many seconds the one has been ready that has been for longest, at most a year, 0 when
     *     none is
     * @param pausedFor for how many seconds the queue has been paused, 0 when it is not
     */
    public record Depth(
            String queue, long ready, long scheduled, long parked, long running, double oldestAge, double pausedFor) {
        /** A queue in which nothing is. */
        public static Depth idle(String queue) {
            return new Depth(queue, 0, 0, 0, 0, 0, 0);
        }
    }

    /**
     * The depths of all queues, the default one first.
     *
     * @param most the limit of what was counted of one queue and state: such a number is a lower bound
     * @param mostRunning the same of what runs in one lane
     */
    public record Depths(List<Depth> queues, long most, long mostRunning) {}

    private static final String COUNT = "SELECT count(*) AS n FROM queues WHERE deleted_at IS NULL";

    // What has a lease comes up again when that ends, so it is among the next of its lane. That reads the rows, the
    // others only the index.
    static final String DEPTHS =
            """
            WITH RECURSIVE %s, queue AS MATERIALIZED (
              SELECT q.queue_id, q.name, array_agg(lanes.lane) AS lanes,
                max(CASE WHEN %s THEN extract(epoch FROM now() - q.paused_at) ELSE 0 END)::float8 AS paused_for
              FROM queues q LEFT JOIN lanes ON %s = q.queue_id
              WHERE q.deleted_at IS NULL
              GROUP BY q.queue_id, q.name
            )
            SELECT queue.name, due.n AS ready, later.n AS later, held.n AS parked, leased.n AS running,
                   coalesce(oldest.age, 0)::float8 AS age, queue.paused_for
            FROM queue,
              LATERAL (SELECT count(*) AS n FROM (
                SELECT lane FROM exec_live WHERE lane = ANY(queue.lanes) AND visible_at <= now() LIMIT $1::bigint) AS x
              ) AS due,
              LATERAL (SELECT count(*) AS n FROM (
                SELECT lane FROM exec_live
                WHERE lane = ANY(queue.lanes) AND visible_at > now() AND visible_at < %s
                LIMIT $1::bigint) AS x
              ) AS later,
              LATERAL (SELECT count(*) AS n FROM (
                SELECT lane FROM exec_live WHERE lane = ANY(queue.lanes) AND visible_at = 'infinity'
                LIMIT $1::bigint) AS x
              ) AS held,
              LATERAL (SELECT count(*) AS n FROM unnest(queue.lanes) AS l(lane), LATERAL (
                SELECT lease_token FROM exec_live WHERE lane = l.lane AND visible_at > now()
                ORDER BY visible_at LIMIT $2::bigint) AS x
                WHERE x.lease_token IS NOT NULL
              ) AS leased,
              LATERAL (
                SELECT extract(epoch FROM max(now() - greatest(x.visible_at, now() - interval '8760 hours'))) AS age
                FROM unnest(queue.lanes) AS l(lane), LATERAL (
                SELECT visible_at FROM exec_live WHERE lane = l.lane AND visible_at <= now()
                ORDER BY visible_at LIMIT 1) AS x
              ) AS oldest
            ORDER BY queue.queue_id
            """.formatted(Lanes.OCCUPIED, QueueStore.IS_PAUSED, Lanes.queue("lanes.lane"), JoinStatement.WAITING_TIME);

    /** All queues but deleted ones, the default one first. */
    public Uni<List<Depth>> depths() {
        return queues().chain(queues -> depths(Math.clamp(MOST_OF_ALL / queues, FEWEST, MOST)))
                .map(Depths::queues);
    }

    /** The same with lower limits, for who asks often. */
    public Uni<Depths> quickDepths() {
        return queues().chain(queues -> depths(Math.clamp(MOST_OF_ALL_QUICKLY / queues, FEWEST_QUICKLY, MOST_QUICKLY)));
    }

    private Uni<Long> queues() {
        return database.run(COUNT, Tuple.tuple())
                .map(rows -> Math.max(1, rows.iterator().next().getLong("n")));
    }

    Uni<Depths> depths(int most) {
        var mostRunning = Math.max(1, most / RUNNING_PART);
        return database.run(DEPTHS, Tuple.of((long) most, (long) mostRunning))
                .map(rows -> new Depths(Columns.list(rows, QueueDepthStore::read), most, mostRunning));
    }

    private static Depth read(Row row) {
        var running = row.getLong("running");
        return new Depth(
                row.getString("name"),
                row.getLong("ready"),
                Math.max(0, row.getLong("later") - running),
                row.getLong("parked"),
                running,
                row.getDouble("age"),
                row.getDouble("paused_for"));
    }
}
