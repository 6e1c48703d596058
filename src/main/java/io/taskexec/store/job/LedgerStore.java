package io.taskexec.store.job;

import static io.taskexec.store.sql.Columns.instant;
import static io.taskexec.store.sql.Columns.utc;
import static java.util.Comparator.naturalOrder;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.Page;
import io.taskexec.model.job.TickOutcome;
import io.taskexec.model.job.TickRecord;
import io.taskexec.model.job.Timetable;
import io.taskexec.store.execution.ExpiryStatement;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Conditions;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.EventedStatement;
import io.taskexec.store.sql.Removal;
import io.taskexec.store.wakeup.DueSignal;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads and keeps the ledger of ticks, which has the outcome of each. */
@Singleton
public final class LedgerStore {
    private final Database database;
    private final DueSignal dueSignal;

    public LedgerStore(Database database, DueSignal dueSignal) {
        this.database = database;
        this.dueSignal = dueSignal;
    }

    /**
     * A filter of ticks; null for any.
     *
     * @param from at this moment or later
     * @param to before this moment
     */
    public record Filter(
            @Nullable Instant from,
            @Nullable Instant to,
            @Nullable TickOutcome outcome) {}

    /** The ticks of a schedule, newest first; {@code before} is the last tick of the page before. */
    public Uni<Page<TickRecord, Instant>> list(UUID jobId, Filter filter, int limit, @Nullable Instant before) {
        var outcome = filter.outcome();
        var conditions = new Conditions()
                .and("job_id = ?::uuid", jobId)
                .and("scheduled_at >= ?::timestamptz", utc(filter.from()))
                .and("scheduled_at < ?::timestamptz", utc(filter.to()))
                .and("scheduled_at < ?::timestamptz", utc(before))
                .and("outcome = ?::text", outcome == null ? null : outcome.name());
        var sql = "SELECT scheduled_at, outcome, execution_id, lateness_ms FROM ticks "
                + conditions.where()
                + "ORDER BY scheduled_at DESC LIMIT " + conditions.next() + "::bigint";
        return database.run(sql, conditions.parameters(limit + 1L))
                .map(rows -> Page.of(Columns.list(rows, LedgerStore::read), limit, TickRecord::scheduledAt));
    }

    private static TickRecord read(Row row) {
        return new TickRecord(
                instant(row, "scheduled_at"),
                TickOutcome.valueOf(row.getString("outcome")),
                row.getUUID("execution_id"),
                Duration.ofMillis(row.getLong("lateness_ms")));
    }

    /** A tick that a schedule has, whatever became of it. */
    public record Expected(UUID jobId, Instant at) {}

    // All in one statement, which sees one state of the database: a tick that is decided about, fires after waiting, or
    // is forgotten in between is never taken for a missing one.
    private static final String MISSING = """
            SELECT e.job_id, e.at
            FROM unnest($1::uuid[], $2::timestamptz[]) AS e(job_id, at)
            JOIN schedules s ON s.job_id = e.job_id
            WHERE (s.ledger_from IS NULL OR s.ledger_from <= e.at)
              AND (s.buffered_tick IS NULL OR s.buffered_tick <> e.at)
              AND (SELECT t.job_id FROM ticks t WHERE t.job_id = e.job_id AND t.scheduled_at = e.at) IS NULL
            ORDER BY e.job_id, e.at
            LIMIT $3::bigint
            """;

    /** Those of the ticks that are not in the ledger, do not wait, and have not been removed for their age. */
    public Uni<List<Expected>> missing(List<Expected> expected) {
        return missing(expected, expected.size());
    }

    /** The first {@code limit} of them. */
    public Uni<List<Expected>> missing(List<Expected> expected, int limit) {
        if (expected.isEmpty()) {
            return Uni.createFrom().item(List.of());
        }
        var parameters = Tuple.of(
                expected.stream().map(Expected::jobId).toArray(UUID[]::new),
                expected.stream().map(one -> utc(one.at())).toArray(OffsetDateTime[]::new),
                (long) limit);
        return database.run(MISSING, parameters)
                .map(rows -> Columns.list(rows, row -> new Expected(row.getUUID("job_id"), instant(row, "at"))));
    }

    /**
     * The stretch of time in which every tick of a schedule must be in the ledger.
     *
     * @param rootId the first version of the schedule
     * @param from no tick was expected before it
     * @param until nothing has become yet of the ticks from it on
     */
    public record Extent(UUID rootId, Instant from, Instant until) {}

    private static final String EXTENT_COLUMNS = """
            s.root_id, greatest(s.starts_at, j.created_at, s.ledger_from) AS from_at,
              least(s.next_run_at, s.ended_at, s.ends_at,
                CASE WHEN s.next_run_at IS NULL AND s.ended_at IS NULL
                     THEN coalesce(s.last_tick_at + interval '1 microsecond', j.created_at) END) AS until_at
            """;

    private static final String EXTENT = "SELECT " + EXTENT_COLUMNS
            + "FROM schedules s JOIN jobs j ON j.job_id = s.job_id WHERE s.job_id = $1::uuid";

    /** Returns null when there is no such schedule. */
    public Uni<@Nullable Extent> extent(UUID jobId) {
        return database.run(EXTENT, Tuple.of(jobId)).map(rows -> Columns.first(rows, LedgerStore::readExtent));
    }

    private static Extent readExtent(Row row) {
        return new Extent(row.getUUID("root_id"), instant(row, "from_at"), instant(row, "until_at"));
    }

    /**
     * A schedule that is in force.
     *
     * @param timetable null when it cannot be read
     * @param startsAt from where intervals are counted
     * @param now the database's clock
     */
    public record InForce(UUID jobId, @Nullable Timetable timetable, Instant startsAt, Extent extent, Instant now) {}

    private static final String IN_FORCE =
            "SELECT s.job_id, now() AS now, " + EXTENT_COLUMNS + ", " + ScheduleColumns.SQL + """
            FROM schedules s JOIN jobs j ON j.job_id = s.job_id
            WHERE s.next_run_at IS NOT NULL AND s.job_id > $1::uuid
            ORDER BY s.job_id
            LIMIT $2::bigint
            """;

    /** At most {@code limit} schedules in force, in the order of their ids and with ids after {@code after}. */
    public Uni<List<InForce>> inForce(UUID after, int limit) {
        return database.run(IN_FORCE, Tuple.of(after, (long) limit))
                .map(rows -> Columns.list(
                        rows,
                        row -> new InForce(
                                row.getUUID("job_id"),
                                ScheduleColumns.timetableOrNull(row),
                                ScheduleColumns.startsAtOrEpoch(row),
                                readExtent(row),
                                instant(row, "now"))));
    }

    // What is late already is asked for all the same: its time to live counts from now.
    //
    // A tick that has fired stays as it is, even when its execution is no longer remembered. So does one that another
    // version has fired or still will, one of which the ledger no longer knows what became of it, and one whose
    // execution, of whatever version, is remembered longer than its line: an id cannot end twice. Of the lines of
    // another version since its creation, ledger_from says whether they are there, so that only for ticks before that
    // its executions are looked for. The clock that the range was checked by may be ahead of the database's.
    //
    // The schedule and its job were locked by the statement before. That keeps the job in force until this is
    // committed, and with it the endpoint that it is for. It also keeps retention out: a line of this version that is
    // removed while this goes on is no conflict, and ledger_from has been read before.
    public static final EventedStatement BACKFILL = EventedStatement.creatingThen(
            """
            WITH job AS MATERIALIZED (
              SELECT j.job_id, j.region, j.lane, j.flow_id, j.ttl_ms, s.root_id
              FROM jobs j JOIN schedules s ON s.job_id = j.job_id
              WHERE j.job_id = $1::uuid AND j.retired_at IS NULL
            ), kept AS MATERIALIZED (
              SELECT x.run_at
              FROM job
              JOIN schedules v ON v.root_id = job.root_id AND v.job_id <> job.job_id
              JOIN jobs vj ON vj.job_id = v.job_id
                AND vj.created_at > (SELECT min(t.at) FROM unnest($2::timestamptz[]) AS t(at)),
              LATERAL (
                SELECT e.run_at FROM executions e
                WHERE e.job_id = v.job_id AND e.execution_id <> e.job_id
                  AND e.execution_id >= $4::uuid AND e.execution_id <= $5::uuid AND e.run_at = ANY($2::timestamptz[])
                UNION ALL
                SELECT l.run_at FROM exec_live l
                WHERE l.job_id = v.job_id AND l.execution_id <> l.job_id
                  AND l.execution_id >= $4::uuid AND l.execution_id <= $5::uuid AND l.run_at = ANY($2::timestamptz[])
              ) AS x(run_at)
              WHERE x.run_at < vj.created_at
            ), fired AS (
              INSERT INTO ticks (job_id, scheduled_at, outcome, execution_id, lateness_ms)
              SELECT job.job_id, tick.at, 'FIRED', tick.execution_id, extract(epoch FROM now() - tick.at) * 1000
              FROM job, unnest($2::timestamptz[], $3::uuid[]) AS tick(at, execution_id)
              WHERE tick.at <= now()
                AND NOT EXISTS (SELECT 1 FROM kept WHERE kept.run_at = tick.at)
                AND (SELECT x.execution_id FROM executions x WHERE x.execution_id = tick.execution_id) IS NULL
                AND NOT EXISTS (
                SELECT 1 FROM schedules v JOIN jobs vj ON vj.job_id = v.job_id
                WHERE v.root_id = job.root_id AND (
                  (vj.created_at <= tick.at AND tick.at < v.ledger_from)
                  OR (v.job_id <> job.job_id AND (
                    v.buffered_tick = tick.at
                    OR (v.next_run_at <= tick.at AND tick.at < v.ended_at)
                    OR (SELECT t.outcome FROM ticks t WHERE t.job_id = v.job_id AND t.scheduled_at = tick.at)
                      = 'FIRED'))))
              ON CONFLICT (job_id, scheduled_at)
              DO UPDATE SET outcome = excluded.outcome, execution_id = excluded.execution_id,
                lateness_ms = excluded.lateness_ms
              WHERE ticks.outcome <> 'FIRED'
              RETURNING execution_id, scheduled_at
            )
            """,
            """
            INSERT INTO exec_live (execution_id, job_id, region, lane, visible_at, run_at, created_at,
              flow_id, flow_line, expires_at)
            SELECT fired.execution_id, job.job_id, job.region, job.lane, now(), fired.scheduled_at, now(),
              job.flow_id,
              CASE WHEN job.flow_id IS NOT NULL THEN job.lane & 7 END,
              now() + %s
            FROM fired, job
            ON CONFLICT (execution_id) DO NOTHING
            """.formatted(ExpiryStatement.ttl("job")),
            "SELECT (SELECT count(*) FROM created) AS fired, now() AS at FROM job");

    /** A past tick that is to fire after all. */
    public record Late(Instant at, UUID executionId) {
        private static final long BELOW_TIME = 0xffff;

        /** The least id with the time of the tick, which the ids of its executions have in all versions. */
        private UUID firstId() {
            return new UUID(executionId.getMostSignificantBits() & ~BELOW_TIME, 0);
        }

        private UUID lastId() {
            return new UUID(executionId.getMostSignificantBits() | BELOW_TIME, -1);
        }
    }

    // The lateness of a tick says when it was fired, and so by which transaction.
    private static final String BACKFILLED = """
            SELECT t.job_id FROM ticks t
            WHERE t.job_id = $1::uuid AND t.scheduled_at = ANY($2::timestamptz[]) AND t.outcome = 'FIRED'
              AND t.lateness_ms = (extract(epoch FROM $3::timestamptz - t.scheduled_at) * 1000)::bigint
            LIMIT 1
            """;

    /**
     * The result of a backfill.
     *
     * @param at the database's clock
     */
    private record Backfilled(int fired, Instant at) {}

    private static final UUID NO_ID = new UUID(0, 0);

    /** Fires those of these ticks that have not; returns how many, or null when the job is no schedule in force. */
    public Uni<@Nullable Integer> backfill(UUID jobId, List<Late> ticks) {
        var times = ticks.stream().map(tick -> utc(tick.at())).toArray(OffsetDateTime[]::new);
        var parameters = Tuple.of(jobId)
                .addValue(times)
                .addValue(ticks.stream().map(Late::executionId).toArray(UUID[]::new))
                .addUUID(ticks.stream().map(Late::firstId).min(naturalOrder()).orElse(NO_ID))
                .addUUID(ticks.stream().map(Late::lastId).max(naturalOrder()).orElse(NO_ID));
        Uni<@Nullable Backfilled> backfilled = database.withTransaction(
                transaction -> ScheduleLock.take(transaction, jobId)
                        .chain(() -> Database.on(transaction, database.form(BACKFILL), parameters))
                        .map(rows -> Columns.first(
                                rows, row -> new Backfilled(row.getInteger("fired"), instant(row, "at")))),
                (transaction, done) -> Database.on(
                                transaction,
                                BACKFILLED,
                                Tuple.of(jobId).addValue(times).addOffsetDateTime(utc(done.at())))
                        .map(rows -> rows.size() > 0));
        return backfilled.invoke(dueSignal::raise).map(done -> done == null ? null : done.fired());
    }

    // A tick before ledger_from is not expected, so it may be removed later than that says, but never before: lines are
    // removed only of schedules whose ledger_from has moved. These are named by an array: out of a join, PostgreSQL may
    // drop one that a scheduler changes meanwhile. They are locked before that, in the order of their ids as by
    // schedulers: an update takes rows in the order in which its plan finds them, which is that one only in the index.
    // Dialect.sessions leaves PostgreSQL no other plan, but CockroachDB. A tick that was decided about long after its
    // time is kept as long as the others, also when that happens only while the locks are waited for. One that waits
    // or is not decided about yet stays until then: a backfill has fired it, of which only its line tells a scheduler.
    public static final String DELETE_OLD = """
            WITH few AS MATERIALIZED (
              SELECT job_id, next_run_at, buffered_tick FROM schedules
              WHERE job_id > $1::uuid ORDER BY job_id LIMIT $3::bigint
            ), old AS MATERIALIZED (
              SELECT t.job_id, t.scheduled_at
              FROM few JOIN ticks t ON t.job_id = few.job_id AND t.scheduled_at < $2::timestamptz
                AND t.scheduled_at + t.lateness_ms * interval '1 millisecond' < $2::timestamptz
                AND t.scheduled_at IS DISTINCT FROM few.buffered_tick
                AND (few.next_run_at IS NULL OR t.scheduled_at < few.next_run_at)
              LIMIT $4::bigint
            ), locked AS MATERIALIZED (
              SELECT job_id FROM schedules
              WHERE job_id = ANY(ARRAY(SELECT job_id FROM old))
              ORDER BY job_id
              FOR NO KEY UPDATE
            ), moved_ledgers AS (
              UPDATE schedules SET ledger_from = greatest(ledger_from, $2::timestamptz)
              WHERE job_id = ANY(ARRAY(SELECT job_id FROM locked))
              RETURNING job_id
            ), deleted_ticks AS (
              DELETE FROM ticks t USING old
              WHERE t.job_id = old.job_id AND t.scheduled_at = old.scheduled_at
                AND t.scheduled_at + t.lateness_ms * interval '1 millisecond' < $2::timestamptz
                AND old.job_id = ANY(ARRAY(SELECT job_id FROM moved_ledgers))
            ), counts AS MATERIALIZED (
              SELECT s.job_id, s.hour, s.status, s.bucket
              FROM few JOIN job_stats s ON s.job_id = few.job_id AND s.hour < $2::timestamptz
              LIMIT $4::bigint
            ), deleted_counts AS (
              DELETE FROM job_stats s USING counts
              WHERE s.job_id = counts.job_id AND s.hour = counts.hour AND s.status = counts.status
                AND s.bucket = counts.bucket
            )
            SELECT (SELECT count(*) FROM few) AS seen,
              greatest((SELECT count(*) FROM old), (SELECT count(*) FROM counts)) AS removed,
              (SELECT job_id FROM few ORDER BY job_id DESC LIMIT 1) AS last
            """;

    /**
     * Removes ticks and counts before {@code end} of at most {@code schedules} schedules with ids after {@code after},
     * and of each at most {@code limit}: where as many were removed there may be more.
     */
    public Uni<Removal> deleteBefore(Instant end, UUID after, int schedules, int limit) {
        return database.run(DELETE_OLD, Tuple.of(after, utc(end), (long) schedules, (long) limit))
                .map(rows -> rows.iterator().next())
                .map(row -> new Removal(row.getInteger("seen"), row.getInteger("removed"), row.getUUID("last")));
    }
}
