package io.taskexec.store.job;

import static io.taskexec.store.sql.Columns.instant;
import static io.taskexec.store.sql.Columns.instantOrNull;
import static io.taskexec.store.sql.Columns.utc;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.job.Timetable;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Schedules by the version of the time zone database that their next tick was computed with. */
@Singleton
public final class ZoneRulesStore {
    private final Database database;

    public ZoneRulesStore(Database database) {
        this.database = database;
    }

    /**
     * A schedule whose next tick was computed with other rules.
     *
     * @param timetable null when it cannot be read
     * @param after the tick before the next one, or from when on the first one counts
     * @param end from when on there are no ticks; null for no end
     * @param endedAt the part of it that is not the policy's: when the version was to end, as far as was known
     * @param now the database's clock
     */
    public record Outdated(
            UUID jobId,
            UUID rootId,
            @Nullable Timetable timetable,
            Instant startsAt,
            Instant nextRunAt,
            Instant after,
            @Nullable Instant end,
            @Nullable Instant endedAt,
            Instant now) {}

    // A version may have been made while a tick of the one before it was decided about: its first tick is after that.
    private static final String OUTDATED = """
            SELECT s.job_id, s.root_id, s.next_run_at, now() AS now,
                   coalesce(s.last_tick_at, greatest(j.created_at,
                     greatest(s.starts_at, s.ledger_from) - interval '1 microsecond')) AS after,
                   least(s.ends_at, s.ended_at) AS end_at, s.ended_at,
            """ + ScheduleColumns.SQL + """
            FROM schedules s JOIN jobs j ON j.job_id = s.job_id
            WHERE s.next_run_at IS NOT NULL AND s.tz_rules <> $1::text
            LIMIT $2::bigint
            """;

    /** Schedules in force whose next tick was not computed with these rules. */
    public Uni<List<Outdated>> outdated(String rules, int limit) {
        return database.run(OUTDATED, Tuple.of(rules, (long) limit))
                .map(rows -> Columns.list(rows, ZoneRulesStore::read));
    }

    private static Outdated read(Row row) {
        return new Outdated(
                row.getUUID("job_id"),
                row.getUUID("root_id"),
                ScheduleColumns.timetableOrNull(row),
                ScheduleColumns.startsAtOrEpoch(row),
                instant(row, "next_run_at"),
                instant(row, "after"),
                instantOrNull(row, "end_at"),
                instantOrNull(row, "ended_at"),
                instant(row, "now"));
    }

    /**
     * A schedule's next tick as it was and as it is with other rules.
     *
     * @param endedAt when it was to end, as far as was known: when that has changed by now, nothing happens
     * @param to null when the schedule ends before it
     */
    public record Moved(
            UUID jobId,
            Instant from,
            @Nullable Instant endedAt,
            @Nullable Instant to) {}

    // A version that was replaced meanwhile has only ticks up to then: those after it are its successor's.
    private static final String UPDATE = """
            WITH moved AS (
              UPDATE schedules s
              SET tz_rules = $4::text,
                  next_run_at = CASE WHEN n.after IS NULL AND s.tz_rules > $4::text THEN s.next_run_at ELSE n.after END,
                  ended_at = CASE WHEN n.after IS NULL AND s.tz_rules <= $4::text THEN least(s.ended_at, now())
                             ELSE s.ended_at END
              FROM unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[], $5::timestamptz[])
                AS n(id, before, after, ended)
              WHERE s.job_id = n.id AND s.next_run_at = n.before
                AND coalesce(s.ended_at, 'infinity'::timestamptz) = coalesce(n.ended, 'infinity'::timestamptz)
              RETURNING s.job_id, s.next_run_at
            )
            UPDATE jobs j SET retired_at = now() FROM moved
            WHERE j.job_id = moved.job_id AND moved.next_run_at IS NULL AND j.retired_at IS NULL
            """;

    /**
     * Moves next ticks, and ends schedules, of which nothing has changed since they were read. Older rules end none,
     * since newer ones could not bring it back.
     */
    public Uni<Void> update(List<Moved> moved, String rules) {
        var parameters = Tuple.tuple()
                .addValue(moved.stream().map(Moved::jobId).toArray(UUID[]::new))
                .addValue(moved.stream().map(one -> utc(one.from())).toArray(OffsetDateTime[]::new))
                .addValue(moved.stream().map(one -> utc(one.to())).toArray(OffsetDateTime[]::new))
                .addString(rules)
                .addValue(moved.stream().map(one -> utc(one.endedAt())).toArray(OffsetDateTime[]::new));
        return database.run(UPDATE, parameters).replaceWithVoid();
    }
}
