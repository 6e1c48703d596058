package io.taskexec.store.execution;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.LookThrottle;
import io.taskexec.model.ProgramClock;
import io.taskexec.store.dependency.DependencyStatement;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.Lanes;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

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

    /** Of an execution, in seconds: a year. */
    private static final int OLDEST_AGE_MAX = 365 * 86_400;

    /** Whether something runs is not in the index, so fewer are looked at. */
    private static final int RUNNING_PART = 10;

    private final Database database;
    private final Reach reach = new Reach();

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
    public record Depths(List<Depth> queues, long most, long mostRunning) {
        private double oldestAge() {
            return queues.stream().mapToDouble(Depth::oldestAge).max().orElse(0);
        }
    }

    /**
     * Decides how far back a look goes. In the pause after one at everything, looks begin a while before the oldest
     * execution that was found ready: nothing becomes due before the statement that makes it so, and what is committed
     * later than that while is found by the next look at everything. Any thread may use it.
     */
    static final class Reach {
        static final Duration MARGIN = Duration.ofSeconds(10);

        private final LookThrottle wholeLooks = new LookThrottle(Duration.ZERO, LookThrottle.RARE);
        private boolean isKnown;
        private boolean isLooking;
        private long beganAt;
        private double oldestAge;

        /** Of a look that begins now, by {@link System#nanoTime}; null when it is one at everything. */
        synchronized @Nullable Long begin(long now) {
            if (isKnown
                    && (isLooking || !wholeLooks.isDue(now))
                    && !ProgramClock.ahead().isPositive()) {
                return MARGIN.plusNanos(now - beganAt).toMillis() + (long) (oldestAge * 1000);
            }
            isLooking = true;
            return null;
        }

        /** Tells that a look that went back so far has ended, with or without success. */
        synchronized void looked(@Nullable Long back, long began, long now) {
            if (back == null) {
                isLooking = false;
                wholeLooks.looked(began, now);
            }
        }

        /** Tells what a look has found that began then. */
        synchronized void found(long began, double oldest) {
            isKnown = oldest < OLDEST_AGE_MAX;
            beganAt = began;
            oldestAge = oldest;
        }
    }

    // What is older has ended: PostgreSQL passes over it where a transaction that stays open keeps vacuum from it.
    private static final String IS_IN_REACH = """
            visible_at >= coalesce(now() - $3::bigint * interval '1 millisecond', '-infinity')""";

    private static final String COUNT = "SELECT count(*) AS n FROM queues WHERE deleted_at IS NULL";

    // What has a lease comes up again when that ends, so it is among the next of its lane. That reads the rows, the
    // others only the index.
    static final String DEPTHS = """
            WITH RECURSIVE %1$s, queue AS MATERIALIZED (
              SELECT q.queue_id, q.name, array_agg(lanes.lane) AS lanes,
                max(CASE WHEN %2$s THEN extract(epoch FROM now() - q.paused_at) ELSE 0 END)::float8 AS paused_for
              FROM queues q LEFT JOIN lanes ON %3$s = q.queue_id
              WHERE q.deleted_at IS NULL
              GROUP BY q.queue_id, q.name
            )
            SELECT queue.name, due.n AS ready, later.n AS later, held.n AS parked, leased.n AS running,
                   coalesce(oldest.age, 0)::float8 AS age, queue.paused_for
            FROM queue,
              LATERAL (SELECT count(*) AS n FROM (
                SELECT lane FROM exec_live WHERE lane = ANY(queue.lanes) AND %4$s AND visible_at <= now()
                LIMIT $1::bigint) AS x
              ) AS due,
              LATERAL (SELECT count(*) AS n FROM (
                SELECT lane FROM exec_live
                WHERE lane = ANY(queue.lanes) AND visible_at > now() AND visible_at < %5$s
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
                SELECT extract(epoch FROM max(now() - greatest(x.visible_at, now() - interval '%6$d seconds'))) AS age
                FROM unnest(queue.lanes) AS l(lane), LATERAL (
                SELECT visible_at FROM exec_live WHERE lane = l.lane AND %4$s AND visible_at <= now()
                ORDER BY visible_at LIMIT 1) AS x
              ) AS oldest
            ORDER BY queue.queue_id
            """.formatted(
                    Lanes.occupiedBy(IS_IN_REACH),
                    Lanes.IS_PAUSED,
                    Lanes.queue("lanes.lane"),
                    IS_IN_REACH,
                    DependencyStatement.WAITING_TIME,
                    OLDEST_AGE_MAX);

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
        return Uni.createFrom().deferred(() -> {
            var beganAt = System.nanoTime();
            var back = reach.begin(beganAt);
            return look(most, mostRunning, back)
                    .onTermination()
                    .invoke(() -> reach.looked(back, beganAt, System.nanoTime()))
                    .invoke(depths -> reach.found(beganAt, depths.oldestAge()));
        });
    }

    /** @param back how far back it goes, in ms; null when that is without limit */
    Uni<Depths> look(long most, long mostRunning, @Nullable Long back) {
        return database.run(DEPTHS, Tuple.of(most, mostRunning, back))
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
