package io.taskexec.store;

import static io.taskexec.store.Columns.instant;
import static io.taskexec.store.Columns.instantOrNull;
import static io.taskexec.store.Columns.utc;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.Page;
import io.taskexec.model.TickOutcome;
import io.taskexec.model.TickRecord;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The ledger of ticks: what became of each of them. */
@Singleton
public final class LedgerStore {
    private final Database database;
    private final DueSignal dueSignal;

    public LedgerStore(Database database, DueSignal dueSignal) {
        this.database = database;
        this.dueSignal = dueSignal;
    }

    /**
     * Which ticks are wanted; null for any.
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
                .map(rows -> page(Columns.list(rows, LedgerStore::read), limit));
    }

    private static Page<TickRecord, Instant> page(List<TickRecord> found, int limit) {
        return found.size() > limit
                ? new Page<>(found.subList(0, limit), found.get(limit - 1).scheduledAt())
                : new Page<>(found, null);
    }

    private static TickRecord read(Row row) {
        return new TickRecord(
                instant(row, "scheduled_at"),
                TickOutcome.valueOf(row.getString("outcome")),
                row.getUUID("execution_id"),
                Duration.ofMillis(row.getLong("lateness_ms")));
    }

    private static final String RECORDED = """
            SELECT scheduled_at FROM ticks
            WHERE job_id = $1::uuid AND scheduled_at >= $2::timestamptz AND scheduled_at <= $3::timestamptz
            """;

    /** The ticks of a schedule from {@code first} to {@code last} of which anything has become. */
    public Uni<Set<Instant>> recorded(UUID jobId, Instant first, Instant last) {
        return database.run(RECORDED, Tuple.of(jobId, utc(first), utc(last)))
                .map(rows -> Columns.list(rows, row -> instant(row, "scheduled_at")).stream()
                        .collect(Collectors.toUnmodifiableSet()));
    }

    /**
     * The stretch of time in which every tick of a schedule must be in the ledger.
     *
     * @param rootId the first version of the schedule
     * @param from no tick was expected before it
     * @param until nothing has become yet of the ticks from it on
     * @param buffered a tick before that which waits, null for none
     */
    public record Extent(
            UUID rootId,
            Instant from,
            Instant until,
            @Nullable Instant buffered) {}

    private static final String EXTENT = """
            SELECT s.root_id, greatest(s.starts_at, j.created_at, s.ledger_from) AS from_at, s.buffered_tick,
                   least(s.next_run_at, s.ended_at, s.ends_at,
                     CASE WHEN s.next_run_at IS NULL AND s.ended_at IS NULL
                          THEN coalesce(s.last_tick_at + interval '1 microsecond', j.created_at) END) AS until_at
            FROM schedules s JOIN jobs j ON j.job_id = s.job_id
            WHERE s.job_id = $1::uuid
            """;

    /** Gives null when there is no such schedule. */
    public Uni<@Nullable Extent> extent(UUID jobId) {
        return database.run(EXTENT, Tuple.of(jobId)).map(rows -> Columns.first(rows, LedgerStore::readExtent));
    }

    private static Extent readExtent(Row row) {
        return new Extent(
                row.getUUID("root_id"),
                instant(row, "from_at"),
                instant(row, "until_at"),
                instantOrNull(row, "buffered_tick"));
    }

    // A tick that has fired stays as it is, even when its execution is no longer remembered.
    private static final String BACKFILL = """
            WITH k AS (
              INSERT INTO ticks (job_id, scheduled_at, outcome, execution_id, lateness_ms)
              SELECT $1::uuid, t.at, 'FIRED', t.execution_id, extract(epoch FROM now() - t.at) * 1000
              FROM unnest($2::timestamptz[], $3::uuid[]) AS t(at, execution_id)
              ON CONFLICT (job_id, scheduled_at)
              DO UPDATE SET outcome = excluded.outcome, execution_id = excluded.execution_id,
                lateness_ms = excluded.lateness_ms
              WHERE ticks.outcome <> 'FIRED'
              RETURNING execution_id, scheduled_at
            )
            INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at)
            SELECT k.execution_id, j.job_id, j.lane, now(), k.scheduled_at, now()
            FROM k, jobs j
            WHERE j.job_id = $1::uuid
            ON CONFLICT (execution_id) DO NOTHING
            RETURNING execution_id
            """;

    /** A past tick that is to fire after all. */
    public record Late(Instant at, UUID executionId) {}

    /** Fires those of these ticks that have not; gives how many. */
    public Uni<Integer> backfill(UUID jobId, List<Late> ticks) {
        var parameters = Tuple.of(jobId)
                .addValue(ticks.stream().map(tick -> utc(tick.at())).toArray(OffsetDateTime[]::new))
                .addValue(ticks.stream().map(Late::executionId).toArray(UUID[]::new));
        return database.run(BACKFILL, parameters).invoke(dueSignal::raise).map(rows -> rows.rowCount());
    }

    private static final String DELETE_OLD = """
            WITH few AS MATERIALIZED (
              SELECT job_id FROM schedules WHERE job_id > $1::uuid ORDER BY job_id LIMIT $3::bigint
            ), d AS (
              DELETE FROM ticks t USING few WHERE t.job_id = few.job_id AND t.scheduled_at < $2::timestamptz
              RETURNING t.job_id
            ), u AS (
              UPDATE schedules SET ledger_from = $2::timestamptz WHERE job_id IN (SELECT job_id FROM d)
            )
            SELECT job_id FROM few ORDER BY job_id DESC LIMIT 1
            """;

    /**
     * Removes the ticks before {@code end} of at most {@code limit} schedules with ids after {@code after}. Gives the last
     * of these, null when there are no more.
     */
    public Uni<@Nullable UUID> deleteBefore(Instant end, UUID after, int limit) {
        return database.run(DELETE_OLD, Tuple.of(after, utc(end), (long) limit))
                .map(rows -> Columns.first(rows, row -> row.getUUID("job_id")));
    }
}
