package io.taskexec.store.forecast;

import static io.taskexec.store.sql.Columns.utc;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.Lanes;
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

    private final Database database;

    public DelayedStarts(Database database) {
        this.database = database;
    }

    /**
     * The starts of an endpoint in one minute.
     *
     * @param minute since 1970
     */
    public record InMinute(String endpoint, int queueId, long minute, long starts) {}

    /**
     * The counts of all endpoints.
     *
     * @param isPart whether a lane has more than were looked at: the later ones are missing
     */
    public record Counted(List<InMinute> minutes, boolean isPart) {}

    // The index of the claim has the executions of a lane in the order of their times. What has a lease runs, and what
    // is
    // deferred has begun. Jobs are looked up by their key, whatever the planner thinks of it.
    static final String COUNT = """
            WITH RECURSIVE %s, share AS MATERIALIZED (
              SELECT greatest(1, floor($3::float8 / count(*)::float8)::bigint) AS most FROM lanes HAVING count(*) > 0
            ), later AS MATERIALIZED (
              SELECT next.lane, next.job_id, next.visible_at, next.starts, share.most
              FROM lanes, share, LATERAL (
                SELECT lane, job_id, visible_at, lease_token IS NULL AND NOT deferred AS starts FROM exec_live
                WHERE lane = lanes.lane AND visible_at > $1::timestamptz AND visible_at < $2::timestamptz
                ORDER BY visible_at LIMIT share.most) AS next
            ), counted AS (
              SELECT (SELECT endpoint FROM jobs WHERE job_id = later.job_id) AS endpoint, %s AS queue_id,
                floor(extract(epoch FROM visible_at)::float8 / 60::float8)::bigint AS minute
              FROM later WHERE starts
            )
            SELECT endpoint, queue_id, minute, count(*) AS starts,
              EXISTS (SELECT 1 FROM later GROUP BY lane HAVING count(*) >= max(most)) AS is_part
            FROM counted WHERE endpoint IS NOT NULL
            GROUP BY endpoint, queue_id, minute
            """.formatted(Lanes.OCCUPIED, Lanes.queue("lane"));

    /** Counts those after {@code from} and before {@code to}. */
    public Uni<Counted> between(Instant from, Instant to) {
        return between(from, to, MOST);
    }

    Uni<Counted> between(Instant from, Instant to, int most) {
        return database.run(COUNT, Tuple.of(utc(from), utc(to), (double) most)).map(rows -> {
            @Nullable Boolean isPart = Columns.first(rows, row -> row.getBoolean("is_part"));
            return new Counted(
                    Columns.list(
                            rows,
                            row -> new InMinute(
                                    row.getString("endpoint"),
                                    row.getInteger("queue_id"),
                                    row.getLong("minute"),
                                    row.getLong("starts"))),
                    isPart != null && isPart);
        });
    }
}
