package io.taskexec.store;

import static io.taskexec.store.Columns.instant;
import static io.taskexec.store.Columns.instantOrNull;
import static io.taskexec.store.Columns.utc;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.NewJob.Result;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Schedules: their creation, their versions and what becomes due of them. */
@Singleton
public final class ScheduleStore {
    private final Database database;
    private final IdempotencyKeyStore keys;
    private final DueSignal dueSignal;

    public ScheduleStore(Database database, IdempotencyKeyStore keys, DueSignal dueSignal) {
        this.database = database;
        this.keys = keys;
        this.dueSignal = dueSignal;
    }

    /**
     * A schedule that is to be created.
     *
     * @param job its run time and delay are not used
     * @param nextRunAt its first tick, null when there is none
     */
    public record NewSchedule(
            NewJob job,
            String expression,
            String timezone,
            Instant startsAt,
            @Nullable Instant endsAt,
            @Nullable Instant nextRunAt) {}

    /** The database's clock. */
    public Uni<Instant> now() {
        return database.run("SELECT now() AS at", Tuple.tuple())
                .map(rows -> instant(rows.iterator().next(), "at"));
    }

    // $1 id, $2 endpoint, $3 its version, $4 its payload spec's version, $5 key or null, $6 fingerprint, $7 lane,
    // $8 input, $9 version, $10 previous version or null, $11 root
    private static final String INSERT_JOB = """
            WITH e AS (
              SELECT e.name FROM endpoints e LEFT JOIN payload_specs p ON p.name = e.payload_spec_ref
              WHERE e.name = $2::text AND e.version = $3::int AND coalesce(p.version, 0) = $4::int
            ), k AS (
              INSERT INTO idempotency_keys (endpoint, idempotency_key, job_id, fingerprint, created_at)
              SELECT e.name, $5::text, $1::uuid, $6::uuid, now() FROM e WHERE $5::text IS NOT NULL
              ON CONFLICT (endpoint, idempotency_key) DO NOTHING
              RETURNING job_id
            ), j AS (
              INSERT INTO jobs (job_id, endpoint, endpoint_version, trigger_type, version, previous_version_id, lane,
                idempotency_key, input, created_at, tags)
              SELECT $1::uuid, e.name, $3::int, 'CRON', $9::int, $10::uuid, $7::int, $5::text, $8::text::json, now(),
                string_to_array($17::text, ',')
              FROM e WHERE $5::text IS NULL OR EXISTS (SELECT 1 FROM k)
              RETURNING job_id
            ), t AS (
              INSERT INTO job_tags (tag, job_id) SELECT unnest(string_to_array($17::text, ',')), job_id FROM j
            )
            INSERT INTO schedules (job_id, root_id, cron_expression, timezone, starts_at, ends_at, next_run_at)
            SELECT j.job_id, $11::uuid, $12::text, $13::text, $14::timestamptz, $15::timestamptz, $16::timestamptz FROM j
            RETURNING now() AS created_at
            """;

    /** Creates a schedule, or says whose its key is. */
    public Uni<Result> create(NewSchedule schedule) {
        var id = schedule.job().id();
        return database.withTransaction(transaction -> keys.deleteExpired(transaction, List.of(schedule.job()))
                        .chain(() -> insert(transaction, schedule, 1, null, id))
                        .chain(rows -> rows.rowCount() > 0
                                ? Uni.createFrom().item(created(rows, schedule))
                                : explain(transaction, schedule.job())))
                .invoke(dueSignal::raise);
    }

    private static Uni<RowSet<Row>> insert(
            SqlConnection transaction, NewSchedule schedule, int version, @Nullable UUID previous, UUID root) {
        var job = schedule.job();
        var parameters = Tuple.tuple()
                .addUUID(job.id())
                .addString(job.endpoint())
                .addInteger(job.endpointVersion())
                .addInteger(job.payloadSpecVersion())
                .addString(job.idempotencyKey().isEmpty() ? null : job.idempotencyKey())
                .addUUID(job.fingerprint())
                .addInteger(job.lane())
                .addString(job.input())
                .addInteger(version)
                .addUUID(previous)
                .addUUID(root)
                .addString(schedule.expression())
                .addString(schedule.timezone())
                .addOffsetDateTime(utc(schedule.startsAt()))
                .addOffsetDateTime(utc(schedule.endsAt()))
                .addOffsetDateTime(utc(schedule.nextRunAt()))
                .addString(job.joinedTags());
        return Database.on(transaction, INSERT_JOB, parameters);
    }

    private static Result created(RowSet<Row> rows, NewSchedule schedule) {
        var createdAt = instant(rows.iterator().next(), "created_at");
        return new Result.Created(createdAt, schedule.startsAt(), false);
    }

    private static final String SELECT_KEY = """
            SELECT job_id, fingerprint = $3::uuid AS same_request
            FROM idempotency_keys
            WHERE endpoint = $1::text AND idempotency_key = $2::text
            """;

    private static Uni<Result> explain(SqlConnection transaction, NewJob job) {
        return Database.on(transaction, SELECT_KEY, Tuple.of(job.endpoint(), job.idempotencyKey(), job.fingerprint()))
                .map(rows -> Columns.first(rows, ScheduleStore::duplicate))
                .map(found -> found == null ? new Result.Stale() : found);
    }

    private static Result duplicate(Row row) {
        return new Result.Duplicate(row.getUUID("job_id"), row.getBoolean("same_request"));
    }

    /** A schedule's version that is in force, as its successor needs to know it. */
    public record Current(UUID rootId, int version, Instant now) {}

    private static final String LOCK = """
            SELECT s.root_id, j.version, now() AS now
            FROM schedules s JOIN jobs j ON j.job_id = s.job_id
            WHERE s.job_id = $1::uuid AND j.retired_at IS NULL
            FOR UPDATE OF s
            """;

    // Ticks up to now belong to the old version, even when they are still to be made executions of; those after now
    // belong to the new one. So none is lost or doubled, however late the scheduler is.
    private static final String END_OLD = """
            WITH s AS (
              UPDATE schedules
              SET next_run_at = CASE WHEN next_run_at <= now() THEN next_run_at END,
                  ends_at = least(ends_at, now() + interval '1 microsecond')
              WHERE job_id = $1::uuid
            )
            UPDATE jobs SET retired_at = now(), replaced_by_id = $2::uuid WHERE job_id = $1::uuid
            """;

    /**
     * Replaces the version of a schedule that is in force by the next one, which takes over after the present moment of
     * the database's clock. Gives null when the job is no schedule in force, and {@link Result.Stale} when the endpoint
     * has changed.
     */
    public Uni<@Nullable Result> replace(UUID oldId, Function<Current, NewSchedule> successor) {
        Uni<@Nullable Result> replaced =
                database.withTransaction(transaction -> Database.on(transaction, LOCK, Tuple.of(oldId))
                        .map(rows -> Columns.first(rows, ScheduleStore::current))
                        .chain(current -> current == null
                                ? Uni.createFrom().nullItem()
                                : replaceLocked(transaction, oldId, current, successor.apply(current))));
        return replaced.invoke(dueSignal::raise);
    }

    private static Uni<Result> replaceLocked(
            SqlConnection transaction, UUID oldId, Current current, NewSchedule successor) {
        return insert(transaction, successor, current.version() + 1, oldId, current.rootId())
                .chain(rows -> rows.rowCount() == 0
                        ? Uni.createFrom().item(new Result.Stale())
                        : Database.on(
                                        transaction,
                                        END_OLD,
                                        Tuple.of(oldId, successor.job().id()))
                                .replaceWith(created(rows, successor)));
    }

    private static Current current(Row row) {
        return new Current(row.getUUID("root_id"), row.getInteger("version"), instant(row, "now"));
    }

    /** A schedule that is due, with the database's clock at that moment. */
    public record Due(
            UUID jobId,
            UUID rootId,
            String expression,
            String timezone,
            @Nullable Instant endsAt,
            Instant nextRunAt,
            Instant now) {}

    // No lock: the compare-and-set of the advance decides between schedulers.
    private static final String DUE = """
            SELECT job_id, root_id, cron_expression, timezone, ends_at, next_run_at, now() AS now
            FROM schedules
            WHERE next_run_at <= now()
            ORDER BY next_run_at
            LIMIT $1::bigint
            """;

    /** The schedules that are due, the longest due first. */
    public Uni<List<Due>> due(int limit) {
        return database.run(DUE, Tuple.of((long) limit)).map(rows -> Columns.list(rows, ScheduleStore::readDue));
    }

    private static Due readDue(Row row) {
        return new Due(
                row.getUUID("job_id"),
                row.getUUID("root_id"),
                row.getString("cron_expression"),
                row.getString("timezone"),
                instantOrNull(row, "ends_at"),
                instant(row, "next_run_at"),
                instant(row, "now"));
    }

    /**
     * What becomes of a schedule that was due.
     *
     * @param current the tick that it was due for: when it is due for another one by now, nothing happens
     * @param ticks the ticks that fire, first to last, with the ids of their executions
     * @param next the next tick, null when there is none and the schedule ends
     */
    public record Advance(
            UUID jobId,
            Instant current,
            List<Tick> ticks,
            @Nullable Instant next) {}

    /**
     * One firing of a schedule.
     *
     * @param executionId made from the tick, so that it cannot fire twice
     */
    public record Tick(UUID executionId, Instant at) {}

    private static final String ADVANCE = """
            WITH s AS (
              UPDATE schedules s
              SET next_run_at = n.next, last_tick_at = coalesce(n.last, s.last_tick_at)
              FROM unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[], $4::timestamptz[]) AS n(id, current, last, next)
              WHERE s.job_id = ANY($1::uuid[]) AND s.job_id = n.id AND s.next_run_at = n.current
              RETURNING s.job_id, s.next_run_at
            ), ended AS (
              UPDATE jobs j SET retired_at = now() FROM s
              WHERE j.job_id = s.job_id AND s.next_run_at IS NULL AND j.retired_at IS NULL
            )
            INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at)
            SELECT t.execution_id, t.job_id, j.lane, now(), t.at, now()
            FROM unnest($5::uuid[], $6::uuid[], $7::timestamptz[]) AS t(execution_id, job_id, at)
            JOIN s ON s.job_id = t.job_id
            JOIN jobs j ON j.job_id = t.job_id
            ON CONFLICT (execution_id) DO NOTHING
            RETURNING execution_id
            """;

    /** Makes the ticks of many schedules executions and moves the schedules on, each only once; gives how many fired. */
    public Uni<Integer> advance(List<Advance> advances) {
        var ticks = advances.stream()
                .flatMap(advance -> advance.ticks().stream().map(tick -> new JobTick(advance.jobId(), tick)))
                .toList();
        var parameters = Tuple.tuple()
                .addValue(advances.stream().map(Advance::jobId).toArray(UUID[]::new))
                .addValue(times(advances.stream().map(Advance::current)))
                .addValue(times(advances.stream().map(ScheduleStore::lastTick)))
                .addValue(times(advances.stream().map(Advance::next)))
                .addValue(ticks.stream().map(tick -> tick.tick().executionId()).toArray(UUID[]::new))
                .addValue(ticks.stream().map(JobTick::jobId).toArray(UUID[]::new))
                .addValue(times(ticks.stream().map(tick -> tick.tick().at())));
        return database.run(ADVANCE, parameters).invoke(dueSignal::raise).map(rows -> rows.rowCount());
    }

    private static @Nullable Instant lastTick(Advance advance) {
        return advance.ticks().isEmpty() ? null : advance.ticks().getLast().at();
    }

    private record JobTick(UUID jobId, Tick tick) {}

    private static OffsetDateTime[] times(Stream<? extends @Nullable Instant> instants) {
        return instants.map(Columns::utc).toArray(OffsetDateTime[]::new);
    }

    private static final String NEXT_DUE = """
            SELECT ceil(extract(epoch FROM min(next_run_at) - now()) * 1000)::bigint AS delay_ms
            FROM schedules
            WHERE next_run_at IS NOT NULL
            """;

    /** How long until the next schedule becomes due, zero or less when one is; null when there is none. */
    public Uni<@Nullable Duration> untilNextDue() {
        return database.run(NEXT_DUE, Tuple.tuple()).map(rows -> Columns.first(rows, ScheduleStore::readDelay));
    }

    private static @Nullable Duration readDelay(Row row) {
        var delay = row.getLong("delay_ms");
        return delay == null ? null : Duration.ofMillis(delay);
    }
}
