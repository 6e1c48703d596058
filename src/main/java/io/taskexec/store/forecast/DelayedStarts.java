package io.taskexec.store.forecast;

import static io.taskexec.store.sql.Columns.utc;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.Lanes;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Counts the executions that wait for their time: delayed jobs, retries and ticks with jitter. */
@Singleton
public final class DelayedStarts {
    /** Executions that are looked at, with equal parts for all lanes. */
    static final int MOST = 50_000;

    /** Jobs that are looked up for an estimate, likewise. */
    static final int MOST_JOBS = 2_000;

    private final Database database;

    public DelayedStarts(Database database) {
        this.database = database;
    }

    /**
     * The starts of an endpoint in some minutes, as many in each of them.
     *
     * @param first the first one, since 1970
     * @param last the last one
     */
    public record InMinutes(String endpoint, int queueId, long first, long last, double starts) {}

    /**
     * The counts of all endpoints.
     *
     * @param isPart whether a lane has more than were looked at: the later ones are missing
     * @param isEstimate whether not all jobs were looked up
     */
    public record Counted(List<InMinutes> minutes, boolean isPart, boolean isEstimate) {}

    // The index of the claim has the executions of a lane in the order of their times. What has a lease runs, and what
    // is deferred has begun. A job is looked up for each step of this order, by its key, whatever the planner thinks of
    // it: one of any place in the step, by turns of the golden angle, so that no pattern of the order always meets the
    // same one.
    static final String COUNT = """
            WITH RECURSIVE %s, share AS MATERIALIZED (
              SELECT greatest(1, floor($3::float8 / count(*)::float8)::bigint) AS most,
                greatest(1, floor($4::float8 / count(*)::float8)::bigint) AS jobs
              FROM lanes HAVING count(*) > 0
            ), later AS MATERIALIZED (
              SELECT lanes.lane, next.job_ids, next.times, next.found >= share.most AS is_part,
                next.starts, greatest(1, ceil(next.starts::float8 / share.jobs::float8)::int) AS step
              FROM lanes, share, LATERAL (
                SELECT count(*) AS found, count(CASE WHEN starts THEN 1 END)::int AS starts,
                  array_agg(job_id) FILTER (WHERE starts) AS job_ids,
                  array_agg(visible_at) FILTER (WHERE starts) AS times
                FROM (
                  SELECT job_id, visible_at, lease_token IS NULL AND NOT deferred AS starts FROM exec_live
                  WHERE lane = lanes.lane AND visible_at > $1::timestamptz AND visible_at < $2::timestamptz
                  ORDER BY visible_at LIMIT share.most) AS one) AS next
            ), steps AS (
              SELECT job.endpoint, %s AS queue_id, times[first] AS first_at, times[first + size - 1] AS last_at, size
              FROM later, generate_series(1, starts, step) AS first,
                LATERAL (
                  SELECT least(step, starts - first + 1) AS size, first::float8 * 0.618034::float8 AS turns
                ) AS part,
                LATERAL (
                  SELECT endpoint FROM jobs
                  WHERE job_id = job_ids[first + floor((turns - floor(turns)) * size::float8)::int] LIMIT 1
                ) AS job
            )
            SELECT endpoint, queue_id, sum(size)::bigint AS starts,
              floor(extract(epoch FROM first_at)::float8 / 60::float8)::bigint AS first_minute,
              floor(extract(epoch FROM last_at)::float8 / 60::float8)::bigint AS last_minute,
              EXISTS (SELECT 1 FROM later WHERE is_part) AS is_part,
              EXISTS (SELECT 1 FROM later WHERE step > 1) AS is_estimate
            FROM steps WHERE endpoint IS NOT NULL
            GROUP BY endpoint, queue_id, first_minute, last_minute
            """.formatted(Lanes.OCCUPIED, Lanes.queue("lane"));

    /** Counts those after {@code from} and before {@code to}. */
    public Uni<Counted> between(Instant from, Instant to) {
        return between(from, to, MOST, MOST);
    }

    /** The same for less work: of many in a lane, neighbours in time count for the endpoint of one of them. */
    public Uni<Counted> estimate(Instant from, Instant to) {
        return between(from, to, MOST, MOST_JOBS);
    }

    Uni<Counted> between(Instant from, Instant to, int most, int jobs) {
        return database.run(COUNT, Tuple.of(utc(from), utc(to), (double) most, (double) jobs))
                .map(rows -> new Counted(
                        Columns.list(
                                rows,
                                row -> new InMinutes(
                                        row.getString("endpoint"),
                                        row.getInteger("queue_id"),
                                        row.getLong("first_minute"),
                                        row.getLong("last_minute"),
                                        row.getLong("starts"))),
                        isAny(rows, "is_part"),
                        isAny(rows, "is_estimate")));
    }

    private static boolean isAny(RowSet<Row> rows, String column) {
        @Nullable Boolean is = Columns.first(rows, row -> row.getBoolean(column));
        return is != null && is;
    }
}
