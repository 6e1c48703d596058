package io.taskexec.store;

import static io.taskexec.store.Columns.instant;
import static io.taskexec.store.Columns.utc;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.SchedulePolicy;
import io.taskexec.model.Timetable;
import io.taskexec.model.Trigger;
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
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The creation of schedules and of their versions. */
@Singleton
public final class ScheduleStore {
    private final Database database;
    private final IdempotencyKeyStore keys;
    private final DueSignal dueSignal;
    private final RegionFilter regions;

    public ScheduleStore(Database database, IdempotencyKeyStore keys, DueSignal dueSignal, RegionFilter regions) {
        this.database = database;
        this.keys = keys;
        this.dueSignal = dueSignal;
        this.regions = regions;
    }

    /**
     * A schedule that is to be created.
     *
     * @param job its run time and delay are not used
     * @param nextRunAt its first tick
     * @param zoneRules the version of the time zone database that the tick was computed with
     */
    public record NewSchedule(
            NewJob job, Timetable timetable, SchedulePolicy policy, Instant nextRunAt, String zoneRules) {}

    /** The database's clock. */
    public Uni<Instant> now() {
        return database.run("SELECT now() AS at", Tuple.tuple())
                .map(rows -> instant(rows.iterator().next(), "at"));
    }

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
                idempotency_key, input, created_at, tags, trace, region)
              SELECT $1::uuid, e.name, $3::int, $7::text, $8::int, $9::uuid, $10::int, $5::text, $11::text::json, now(),
                string_to_array($12::text, ','), $13::text, $14::text
              FROM e WHERE $5::text IS NULL OR EXISTS (SELECT 1 FROM k)
              RETURNING job_id
            )
            INSERT INTO job_tags (tag, job_id) SELECT t.tag, j.job_id
            FROM j, unnest(coalesce(string_to_array($12::text, ','), ARRAY[]::text[])) AS t(tag)
            """;

    private static final String INSERT_SCHEDULE = """
            INSERT INTO schedules (job_id, root_id, cron_expression, timezone, dst_gap, dst_overlap, every_ms, starts_at,
              ends_at, max_fires, catch_up, catch_up_max, catch_up_window_ms, overlap, jitter_ms, next_run_at, tz_rules)
            SELECT job_id, $2::uuid, $3::text, $4::text, $5::text, $6::text, $7::bigint, $8::timestamptz,
              $9::timestamptz, $10::int, $11::text, $12::int, $13::bigint, $14::text, $15::bigint, $16::timestamptz,
              $17::text
            FROM jobs WHERE job_id = $1::uuid
            RETURNING now() AS created_at
            """;

    /** Creates a schedule, or says whose its key is. */
    public Uni<Result> create(NewSchedule schedule) {
        var id = schedule.job().id();
        return inRegion((region, transaction) -> keys.deleteExpired(transaction, List.of(schedule.job()))
                        .chain(() -> insert(transaction, schedule, region, 1, null, id))
                        .chain(rows -> rows.rowCount() > 0
                                ? Uni.createFrom().item(created(rows, schedule))
                                : explain(transaction, schedule.job())))
                .invoke(this::count)
                .invoke(dueSignal::raise);
    }

    private <T extends @Nullable Object> Uni<T> inRegion(BiFunction<Integer, SqlConnection, Uni<T>> work) {
        return regions.number()
                .chain(region -> database.withTransaction(transaction -> work.apply(region, transaction)));
    }

    private Uni<RowSet<Row>> insert(
            SqlConnection transaction,
            NewSchedule schedule,
            int region,
            int version,
            @Nullable UUID previous,
            UUID root) {
        var job = schedule.job();
        var parameters = Tuple.tuple()
                .addUUID(job.id())
                .addString(job.endpoint())
                .addInteger(job.endpointVersion())
                .addInteger(job.payloadSpecVersion())
                .addString(job.idempotencyKey().isEmpty() ? null : job.idempotencyKey())
                .addUUID(job.fingerprint())
                .addString(Trigger.kind(schedule.timetable()))
                .addInteger(version)
                .addUUID(previous)
                .addInteger(job.lane(region))
                .addString(job.input())
                .addString(job.joinedTags())
                .addString(job.storedTrace())
                .addString(regions.home().name());
        return Database.on(transaction, INSERT_JOB, parameters)
                .chain(() -> Database.on(transaction, INSERT_SCHEDULE, parameters(schedule, root)));
    }

    private static Tuple parameters(NewSchedule schedule, UUID root) {
        var parameters = Tuple.of(schedule.job().id(), root);
        switch (schedule.timetable()) {
            case Timetable.Cron cron ->
                parameters
                        .addString(cron.expression())
                        .addString(cron.timezone())
                        .addString(cron.dst().gap().name())
                        .addString(cron.dst().overlap().name())
                        .addLong(null);
            case Timetable.Every every ->
                parameters
                        .addString(null)
                        .addString("UTC")
                        .addString("SHIFT")
                        .addString("FIRST")
                        .addLong(every.every().toMillis());
        }
        var policy = schedule.policy();
        return parameters
                .addOffsetDateTime(utc(policy.startsAt()))
                .addOffsetDateTime(utc(policy.endsAt()))
                .addInteger(policy.maxFires())
                .addString(policy.catchUp().mode().name())
                .addInteger(policy.catchUp().max())
                .addLong(millis(policy.catchUp().window()))
                .addString(policy.overlap().name())
                .addLong(policy.jitter().toMillis())
                .addOffsetDateTime(utc(schedule.nextRunAt()))
                .addString(schedule.zoneRules());
    }

    private static @Nullable Long millis(@Nullable Duration duration) {
        return duration == null ? null : duration.toMillis();
    }

    private static Result created(RowSet<Row> rows, NewSchedule schedule) {
        var createdAt = instant(rows.iterator().next(), "created_at");
        return new Result.Created(createdAt, schedule.policy().startsAt(), false);
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
    public record Current(UUID rootId, int version, Instant startsAt, Instant now) {}

    private static final String LOCK = """
            SELECT s.root_id, j.version, s.starts_at, now() AS now
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
                  ended_at = now() + interval '1 microsecond'
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
                inRegion((region, transaction) -> Database.on(transaction, LOCK, Tuple.of(oldId))
                        .map(rows -> Columns.first(rows, ScheduleStore::current))
                        .chain(current -> current == null
                                ? Uni.createFrom().nullItem()
                                : replaceLocked(transaction, region, oldId, current, successor.apply(current))));
        return replaced.invoke(this::count).invoke(dueSignal::raise);
    }

    private void count(@Nullable Result result) {
        if (result instanceof Result.Created) {
            database.metrics().created(1);
        }
    }

    private Uni<Result> replaceLocked(
            SqlConnection transaction, int region, UUID oldId, Current current, NewSchedule successor) {
        return insert(transaction, successor, region, current.version() + 1, oldId, current.rootId())
                .chain(rows -> rows.rowCount() == 0
                        ? Uni.createFrom().item(new Result.Stale())
                        : Database.on(
                                        transaction,
                                        END_OLD,
                                        Tuple.of(oldId, successor.job().id()))
                                .replaceWith(created(rows, successor)));
    }

    private static Current current(Row row) {
        return new Current(
                row.getUUID("root_id"), row.getInteger("version"), instant(row, "starts_at"), instant(row, "now"));
    }
}
