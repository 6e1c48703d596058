package io.taskexec.store.forecast;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.Uuid7;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.Lanes;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

/**
 * Estimates from a sample of the history how many immediate jobs an endpoint had in each hour of a day, and how long
 * its executions took. The sample are the first executions of each quarter of an hour that have ended.
 */
@Singleton
public final class PastStarts {
    /** The hours of which there are rates. */
    public static final int HOURS = 24;

    private static final int QUARTERS = 4;
    private static final Duration QUARTER = Duration.ofHours(1).dividedBy(QUARTERS);
    private static final double MINUTE_MS = Duration.ofMinutes(1).toMillis();

    /** Executions of each quarter of an hour. */
    static final int MOST = 100;

    /** The same for an estimate. */
    static final int FEW = 40;

    /** Executions of each quarter of an hour that are counted. */
    private static final long MOST_COUNTED = 2_000;

    private static final int MILLIS_SHIFT = 16;

    private final Database database;

    public PastStarts(Database database) {
        this.database = database;
    }

    /**
     * An endpoint in a quarter of an hour.
     *
     * @param hour from 0, the first of the day
     * @param perMinute immediate jobs of the hour, as far as this quarter tells
     * @param ended executions of any trigger whose last attempt was measured
     * @param totalMs of these
     */
    public record Past(String endpoint, int queueId, int hour, double perMinute, long ended, long totalMs) {}

    // Ids sort by their time: each quarter is a stretch of the primary key, of which at most so many are read. Jobs are
    // looked up by their key, whatever the planner thinks of it. The execution of a job that runs once has its id. How
    // many there were beyond the sample is counted; beyond that the minutes of activity know, unless SQL created them.
    static final String SAMPLE = """
            WITH slots AS MATERIALIZED (
              SELECT slot.n, slot.first_id, slot.end_id,
                (SELECT coalesce(sum(a.created), 0)::bigint FROM activity_minutes a
                 WHERE a.minute >= ($4::timestamptz[])[slot.n::int] AND a.minute < ($4::timestamptz[])[slot.n::int + 1])
                  AS created,
                (SELECT count(*) FROM (SELECT x.execution_id FROM executions x
                  WHERE x.execution_id >= slot.first_id AND x.execution_id < slot.end_id
                  LIMIT $5::bigint) AS few) AS counted
              FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS slot(first_id, end_id, n)
            ), sample AS MATERIALIZED (
              SELECT slot.n, slot.created, slot.counted, one.*, count(*) OVER (PARTITION BY slot.n) AS found,
                max(one.execution_id::text) OVER (PARTITION BY slot.n) AS last_id
              FROM slots slot, LATERAL (
                SELECT execution_id, job_id, lane,
                  (extract(epoch FROM completed_at - started_at) * 1000)::bigint AS took_ms
                FROM executions WHERE execution_id >= slot.first_id AND execution_id < slot.end_id
                ORDER BY execution_id LIMIT $3::bigint) AS one
            )
            SELECT s.n, s.found, s.last_id, j.endpoint, %s AS queue_id,
              count(CASE WHEN j.trigger_type = 'IMMEDIATE' AND s.execution_id = s.job_id THEN 1 END) AS immediate,
              count(s.took_ms) AS ended, coalesce(sum(s.took_ms), 0)::bigint AS total_ms, s.created, s.counted
            FROM sample s,
              LATERAL (SELECT endpoint, trigger_type FROM jobs WHERE job_id = s.job_id LIMIT 1) AS j
            GROUP BY s.n, s.found, s.last_id, s.created, s.counted, j.endpoint, queue_id
            """.formatted(Lanes.queue("s.lane"));

    /** Reads the day before a moment. */
    public Uni<List<Past>> dayBefore(Instant end) {
        return dayBefore(end, MOST);
    }

    /** The same from a smaller sample. */
    public Uni<List<Past>> estimate(Instant end) {
        return dayBefore(end, FEW);
    }

    Uni<List<Past>> dayBefore(Instant end, int most) {
        var start = end.minus(Duration.ofHours(HOURS));
        var edges = IntStream.rangeClosed(0, HOURS * QUARTERS)
                .mapToObj(i -> start.plus(QUARTER.multipliedBy(i)))
                .toList();
        var ids = edges.stream().map(Uuid7::floor).toList();
        var parameters = Tuple.of(
                ids.subList(0, ids.size() - 1).toArray(UUID[]::new),
                ids.subList(1, ids.size()).toArray(UUID[]::new),
                (long) most,
                edges.stream().map(Columns::utc).toArray(OffsetDateTime[]::new),
                MOST_COUNTED);
        return database.run(SAMPLE, parameters).map(rows -> Columns.list(rows, row -> read(row, edges, most)));
    }

    private static Past read(Row row, List<Instant> edges, int most) {
        var quarter = (int) (row.getLong("n") - 1);
        var found = row.getLong("found");
        var counted = row.getLong("counted");
        var all = found < most ? found : Math.max(counted, row.getLong("created"));
        var perMinute = all > counted || counted < MOST_COUNTED
                ? (double) row.getLong("immediate") / found * all / QUARTER.toMinutes()
                : row.getLong("immediate") * MINUTE_MS / span(row, edges.get(quarter));
        return new Past(
                row.getString("endpoint"),
                row.getInteger("queue_id"),
                quarter / QUARTERS,
                perMinute / QUARTERS,
                row.getLong("ended"),
                row.getLong("total_ms"));
    }

    /** The time that a sample took to fill, in milliseconds. */
    private static long span(Row row, Instant start) {
        var last = UUID.fromString(row.getString("last_id")).getMostSignificantBits() >>> MILLIS_SHIFT;
        return Math.max(1, last - start.toEpochMilli());
    }
}
