package io.taskexec.store.job;

import static io.taskexec.store.sql.Columns.instant;
import static io.taskexec.store.sql.Columns.instantOrNull;
import static io.taskexec.store.sql.Columns.utc;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.job.Pause;
import io.taskexec.model.job.SchedulePolicy;
import io.taskexec.model.job.TickOutcome;
import io.taskexec.model.job.Timetable;
import io.taskexec.store.execution.ExpiryStatement;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.EventedStatement;
import io.taskexec.store.sql.UnreadableException;
import io.taskexec.store.wakeup.DueSignal;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds the schedules that are due and advances them, with the outcome of each tick. */
@Singleton
public final class TickStore {
    private final Database database;
    private final DueSignal dueSignal;
    private final String advance;

    public TickStore(Database database, DueSignal dueSignal) {
        this.database = database;
        this.dueSignal = dueSignal;
        this.advance = database.form(ADVANCE);
    }

    /**
     * A schedule that is due.
     *
     * @param nextRunAt the first tick of which nothing has become yet
     * @param decidedUntil the tick before it, or the moment before the schedule began when it is the first
     * @param endedAt from when on there are no ticks, whatever the policy says
     * @param active whether an execution of any of its versions has not ended; of a policy that asks for it only
     * @param buffered whether a tick of any of its versions waits for that; of such a policy only
     * @param pauses those that are not over before the tick
     * @param now the database's clock
     */
    public record Due(
            UUID jobId,
            UUID rootId,
            Timetable timetable,
            SchedulePolicy policy,
            Instant nextRunAt,
            Instant decidedUntil,
            @Nullable Instant endedAt,
            long fires,
            boolean active,
            boolean buffered,
            List<Pause> pauses,
            Instant now) {}

    /** A schedule that is due and cannot be read. */
    public record Unreadable(UUID jobId, Instant nextRunAt, UnreadableException reason) {}

    /** The schedules that are due; a row that cannot be read does not hold up the others. */
    public record AllDue(List<Due> readable, List<Unreadable> unreadable) {
        public boolean isEmpty() {
            return readable.isEmpty() && unreadable.isEmpty();
        }
    }

    // No lock: the compare-and-set of the advance decides between schedulers. Where executions must not overlap, late
    // ticks of a version that was replaced go first, since they may be in the way of the next version.
    private static final String DUE = """
            SELECT s.job_id, s.root_id, s.next_run_at, s.ended_at, s.fires, now() AS now,
                   coalesce(s.last_tick_at, greatest(s.starts_at, s.ledger_from,
                     (SELECT j.created_at FROM jobs j WHERE j.job_id = s.job_id)) - interval '1 microsecond')
                     AS decided_until,
                   s.overlap <> 'ALLOW' AND EXISTS (
                     SELECT 1 FROM schedules o WHERE o.root_id = s.root_id AND o.buffered_tick IS NOT NULL) AS buffered,
                   s.overlap <> 'ALLOW' AND EXISTS (
                     SELECT 1 FROM schedules o JOIN exec_live l ON l.job_id = o.job_id AND l.execution_id <> l.job_id
                     WHERE o.root_id = s.root_id) AS active,
                   p.pause_starts, p.pause_ends,
            """ + ScheduleColumns.SQL + """
            FROM schedules s
            LEFT JOIN LATERAL (
              SELECT array_agg(paused_at ORDER BY paused_at) AS pause_starts,
                     array_agg(until ORDER BY paused_at) AS pause_ends
              FROM pauses WHERE root_id = s.root_id AND (until IS NULL OR until > s.next_run_at)
            ) AS p ON true
            WHERE s.next_run_at <= now()
              AND (s.overlap = 'ALLOW' OR NOT EXISTS (
                SELECT 1 FROM schedules o WHERE o.root_id = s.root_id AND o.next_run_at < s.next_run_at))
            ORDER BY s.next_run_at
            """;

    /**
     * At most {@code limit} schedules that are due.
     *
     * @param newestFirst those that have become due last, or else those that have been due for longest
     */
    public Uni<AllDue> due(int limit, boolean newestFirst) {
        return database.run(DUE + (newestFirst ? "DESC LIMIT $1::bigint" : "LIMIT $1::bigint"), Tuple.of((long) limit))
                .map(TickStore::readAll);
    }

    private static AllDue readAll(RowSet<Row> rows) {
        var readable = new ArrayList<Due>();
        var unreadable = new ArrayList<Unreadable>();
        for (var row : rows) {
            try {
                readable.add(UnreadableException.reading("The schedule", () -> readDue(row)));
            } catch (UnreadableException e) {
                unreadable.add(new Unreadable(row.getUUID("job_id"), instant(row, "next_run_at"), e));
            }
        }
        return new AllDue(readable, unreadable);
    }

    private static Due readDue(Row row) {
        if (instant(row, "next_run_at").isBefore(Instant.EPOCH)) {
            // Its ticks could have no ids, and there would be no end of them.
            throw new IllegalArgumentException("its next tick is before 1970");
        }
        return new Due(
                row.getUUID("job_id"),
                row.getUUID("root_id"),
                ScheduleColumns.timetable(row),
                ScheduleColumns.policy(row),
                instant(row, "next_run_at"),
                instant(row, "decided_until"),
                instantOrNull(row, "ended_at"),
                row.getLong("fires"),
                row.getBoolean("active"),
                row.getBoolean("buffered"),
                pauses(row.getArrayOfOffsetDateTimes("pause_starts"), row.getArrayOfOffsetDateTimes("pause_ends")),
                instant(row, "now"));
    }

    static List<Pause> pauses(OffsetDateTime @Nullable [] starts, @Nullable OffsetDateTime @Nullable [] ends) {
        var pauses = new ArrayList<Pause>();
        for (var i = 0; starts != null && ends != null && i < starts.length; i++) {
            var end = ends[i];
            pauses.add(new Pause(starts[i].toInstant(), end == null ? null : end.toInstant(), null));
        }
        return pauses;
    }

    /**
     * The step of a schedule that was due.
     *
     * @param current the tick that it was due for: when it is due for another one by now, nothing happens
     * @param endedAt when it was to end, as far as was known: when that has changed by now, nothing happens either
     * @param ticks first to last
     * @param last the last tick that was decided about
     * @param next the next tick, null when the schedule ends
     * @param buffered a tick that is to wait, null for none
     */
    public record Advance(
            UUID jobId,
            Instant current,
            @Nullable Instant endedAt,
            List<Decision> ticks,
            Instant last,
            @Nullable Instant next,
            @Nullable Instant buffered) {
        private long fires() {
            return ticks.stream().filter(tick -> tick.executionId() != null).count() + (buffered == null ? 0 : 1);
        }
    }

    /**
     * The decision about one tick.
     *
     * @param executionId of a tick that fires, made from the tick, so that it cannot fire twice
     * @param jitter how long after the tick its execution begins at the earliest
     */
    public record Decision(
            UUID jobId,
            Instant at,
            TickOutcome outcome,
            @Nullable UUID executionId,
            Duration jitter) {}

    // IS TRUE keeps the planner from making a join of IN, which would compare each tick with each schedule. A tick that
    // is in the ledger already was fired by a backfill, and may have ended since.
    public static final EventedStatement ADVANCE = EventedStatement.creatingThen(
            """
            WITH advanced AS (
              UPDATE schedules s
              SET next_run_at = step.next, last_tick_at = step.last, fires = s.fires + step.fires,
                  buffered_tick = coalesce(s.buffered_tick, step.buffered), tz_rules = $13::text,
                  ended_at = CASE WHEN step.next IS NULL THEN least(s.ended_at, step.last + interval '1 microsecond')
                             ELSE s.ended_at END
              FROM unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[], $4::timestamptz[], $5::bigint[],
                $6::timestamptz[], $12::timestamptz[]) AS step(id, current, last, next, fires, buffered, ended)
              WHERE s.job_id = ANY($1::uuid[]) AND s.job_id = step.id AND s.next_run_at = step.current
                AND coalesce(s.ended_at, 'infinity'::timestamptz) = coalesce(step.ended, 'infinity'::timestamptz)
              RETURNING s.job_id, s.next_run_at
            ), retired AS (
              UPDATE jobs j SET retired_at = now() FROM advanced
              WHERE j.job_id = advanced.job_id AND advanced.next_run_at IS NULL AND j.retired_at IS NULL
            ), decided AS MATERIALIZED (
              SELECT tick.* FROM unnest($7::uuid[], $8::timestamptz[], $9::text[], $10::uuid[], $11::bigint[])
                AS tick(job_id, at, outcome, execution_id, jitter_ms)
              WHERE (tick.job_id IN (SELECT job_id FROM advanced)) IS TRUE
            ), recorded AS (
              INSERT INTO ticks (job_id, scheduled_at, outcome, execution_id, lateness_ms)
              SELECT job_id, at, outcome, execution_id, extract(epoch FROM now() - at) * 1000 FROM decided
              ON CONFLICT (job_id, scheduled_at) DO NOTHING
              RETURNING execution_id
            )
            """,
            """
            INSERT INTO exec_live (execution_id, job_id, region, lane, visible_at, run_at, created_at,
              flow_id, flow_line, expires_at)
            SELECT decided.execution_id, decided.job_id, j.region, j.lane,
                   greatest(now(), decided.at + decided.jitter_ms * interval '1 millisecond'), decided.at, now(),
                   j.flow_id,
              CASE WHEN j.flow_id IS NOT NULL THEN j.lane & 7 END,
              decided.at + %s
            FROM decided JOIN jobs j ON j.job_id = decided.job_id
            WHERE (decided.execution_id IN (SELECT execution_id FROM recorded WHERE execution_id IS NOT NULL)) IS TRUE
            ON CONFLICT (execution_id) DO NOTHING
            """.formatted(ExpiryStatement.ttl("j")),
            "SELECT job_id, now() AS now, (SELECT count(*) FROM created) AS fired FROM advanced");

    /**
     * The schedules that were advanced.
     *
     * @param moved the jobs of the schedules that no other scheduler had advanced before
     * @param fired how many executions that made
     * @param now the database's clock
     */
    public record Advanced(Set<UUID> moved, int fired, Instant now) {}

    /**
     * Records the decisions about the ticks of many schedules and advances these, each only once.
     *
     * @param zoneRules the version of the time zone database that the next ticks were computed with
     */
    public Uni<Advanced> advance(List<Advance> advances, String zoneRules) {
        var ticks =
                advances.stream().flatMap(advance -> advance.ticks().stream()).toList();
        var parameters = Tuple.tuple()
                .addValue(advances.stream().map(Advance::jobId).toArray(UUID[]::new))
                .addValue(times(advances.stream().map(Advance::current)))
                .addValue(times(advances.stream().map(Advance::last)))
                .addValue(times(advances.stream().map(Advance::next)))
                .addValue(advances.stream().map(Advance::fires).toArray(Long[]::new))
                .addValue(times(advances.stream().map(Advance::buffered)));
        addTicks(parameters, ticks);
        var _ = parameters
                .addValue(times(advances.stream().map(Advance::endedAt)))
                .addString(zoneRules);
        return database.run(advance, parameters)
                .map(TickStore::readAdvanced)
                .invoke(advanced -> signal(advanced.fired()));
    }

    private static Advanced readAdvanced(RowSet<Row> rows) {
        var moved = new HashSet<UUID>();
        var fired = 0;
        var now = Instant.EPOCH;
        for (var row : rows) {
            moved.add(row.getUUID("job_id"));
            fired = row.getInteger("fired");
            now = instant(row, "now");
        }
        return new Advanced(moved, fired, now);
    }

    static void addTicks(Tuple parameters, List<Decision> ticks) {
        var _ = parameters
                .addValue(ticks.stream().map(Decision::jobId).toArray(UUID[]::new))
                .addValue(times(ticks.stream().map(Decision::at)))
                .addValue(ticks.stream().map(tick -> tick.outcome().name()).toArray(String[]::new))
                .addValue(ticks.stream().map(Decision::executionId).toArray(UUID[]::new))
                .addValue(ticks.stream().map(tick -> tick.jitter().toMillis()).toArray(Long[]::new));
    }

    private void signal(int fired) {
        database.metrics().fired(fired);
        if (fired > 0) {
            dueSignal.raise();
        }
    }

    private static OffsetDateTime[] times(Stream<? extends @Nullable Instant> instants) {
        return instants.map(Columns::utc).toArray(OffsetDateTime[]::new);
    }

    private static final String SET_ASIDE = """
            UPDATE schedules SET next_run_at = NULL, set_aside_reason = $3::text
            WHERE job_id = $1::uuid
              AND (next_run_at = $2::timestamptz OR ($2::timestamptz IS NULL AND next_run_at < to_timestamp(0)))
            """;

    /** Takes a schedule that cannot be moved on out of the way of the others. */
    public Uni<Void> setAside(UUID jobId, Instant current, String reason) {
        // The driver can read -infinity, but not write it.
        var writable = current.isBefore(Instant.EPOCH) ? null : utc(current);
        return database.run(SET_ASIDE, Tuple.of(jobId, writable, reason)).replaceWithVoid();
    }

    // Bounded, since there is no interval up to an infinite time.
    private static final String NEXT_DUE = """
            SELECT ceil(
                     extract(epoch FROM least(greatest(n.next, now()), now() + interval '1 day') - now()) * 1000
                   )::bigint AS delay_ms
            FROM (SELECT min(next_run_at) AS next FROM schedules WHERE next_run_at IS NOT NULL) AS n
            WHERE n.next IS NOT NULL
            """;

    /** The time until the next schedule becomes due, zero when one is, at most a day; null without a next tick. */
    public Uni<@Nullable Duration> untilNextDue() {
        return database.run(NEXT_DUE, Tuple.tuple())
                .map(rows -> Columns.first(rows, row -> Duration.ofMillis(row.getLong("delay_ms"))));
    }
}
