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
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Schedules: their creation, their versions and what becomes due of them. */
@Singleton
public final class ScheduleStore {
    private final Database database;
    private final DueSignal dueSignal;

    public ScheduleStore(Database database, DueSignal dueSignal) {
        this.database = database;
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
                idempotency_key, input, created_at)
              SELECT $1::uuid, e.name, $3::int, 'CRON', $9::int, $10::uuid, $7::int, $5::text, $8::text::json, now()
              FROM e WHERE $5::text IS NULL OR EXISTS (SELECT 1 FROM k)
              RETURNING job_id
            )
            INSERT INTO schedules (job_id, root_id, cron_expression, timezone, starts_at, ends_at, next_run_at)
            SELECT j.job_id, $11::uuid, $12::text, $13::text, $14::timestamptz, $15::timestamptz, $16::timestamptz FROM j
            RETURNING now() AS created_at
            """;

    /** Creates a schedule, or says whose its key is. */
    public Uni<Result> create(NewSchedule schedule) {
        var id = schedule.job().id();
        return database.withTransaction(transaction -> insert(transaction, schedule, 1, null, id)
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
                .addInteger(Lanes.lane(0, job.priority()))
                .addString(job.input())
                .addInteger(version)
                .addUUID(previous)
                .addUUID(root)
                .addString(schedule.expression())
                .addString(schedule.timezone())
                .addOffsetDateTime(utc(schedule.startsAt()))
                .addOffsetDateTime(utc(schedule.endsAt()))
                .addOffsetDateTime(utc(schedule.nextRunAt()));
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

    private static final String VERSIONS = """
            SELECT v.job_id
            FROM schedules s
            JOIN schedules v ON v.root_id = s.root_id
            JOIN jobs j ON j.job_id = v.job_id
            WHERE s.job_id = $1::uuid
            ORDER BY j.version DESC
            LIMIT 1000
            """;

    /** The ids of all versions of the schedule that a job belongs to, newest first; empty when it is none. */
    public Uni<List<UUID>> versions(UUID jobId) {
        return database.run(VERSIONS, Tuple.of(jobId)).map(rows -> Columns.list(rows, row -> row.getUUID("job_id")));
    }

    /** A schedule that is due, with the database's clock at that moment. */
    public record Due(
            UUID jobId,
            String expression,
            String timezone,
            @Nullable Instant endsAt,
            Instant nextRunAt,
            Instant now) {}

    // No lock: the compare-and-set of the advance decides between schedulers.
    private static final String DUE = """
            SELECT job_id, cron_expression, timezone, ends_at, next_run_at, now() AS now
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
                row.getString("cron_expression"),
                row.getString("timezone"),
                instantOrNull(row, "ends_at"),
                instant(row, "next_run_at"),
                instant(row, "now"));
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
