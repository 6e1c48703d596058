package io.taskexec.store.job;

import static io.taskexec.store.sql.Columns.instant;
import static io.taskexec.store.sql.Columns.millisOrNull;
import static io.taskexec.store.sql.Columns.utc;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.model.job.SchedulePolicy;
import io.taskexec.model.job.Timetable;
import io.taskexec.model.job.Trigger;
import io.taskexec.store.job.NewJob.Result;
import io.taskexec.store.job.ScheduleLock.State;
import io.taskexec.store.region.RegionFilter;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.LockTimeout;
import io.taskexec.store.wakeup.DueSignal;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Creates schedules and their versions. */
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
        return database.now();
    }

    // The lock keeps the endpoint from being deleted until this is committed.
    // So does that of a queue which the job names itself: one that was deleted is not found.
    private static final String INSERT_JOB = """
            WITH own_queue AS MATERIALIZED (
              SELECT queue_id FROM queues WHERE queue_id = $17::int AND deleted_at IS NULL FOR KEY SHARE
            ), current_endpoint AS MATERIALIZED (
              SELECT e.name FROM endpoints e LEFT JOIN payload_specs p ON p.name = e.payload_spec_ref
              WHERE e.name = $2::text AND e.version = $3::int AND coalesce(p.version, 0) = $4::int
                AND ($17::int IS NULL OR EXISTS (SELECT 1 FROM own_queue)) AND %s
              FOR KEY SHARE OF e
            ), new_key AS (
              INSERT INTO idempotency_keys (endpoint, idempotency_key, job_id, fingerprint, created_at)
              SELECT name, $5::text, $1::uuid, $6::uuid, now() FROM current_endpoint WHERE $5::text IS NOT NULL
              ON CONFLICT (endpoint, idempotency_key) DO NOTHING
              RETURNING job_id
            ), new_job AS (
              INSERT INTO jobs (job_id, endpoint, endpoint_version, trigger_type, version, previous_version_id, lane,
                idempotency_key, input, created_at, tags, trace, region, flow_id, flow_key, ttl_ms, options)
              SELECT $1::uuid, name, $3::int, $7::text, $8::int, $9::uuid, $10::int, $5::text, $11::text::json, now(),
                string_to_array($12::text, ','), $13::text, $14::text, $15::bigint, $16::text,
                $18::bigint, $19::text::json
              FROM current_endpoint WHERE $5::text IS NULL OR EXISTS (SELECT 1 FROM new_key)
              RETURNING job_id
            )
            INSERT INTO job_tags (tag, job_id) SELECT t.tag, new_job.job_id
            FROM new_job, unnest(coalesce(string_to_array($12::text, ','), ARRAY[]::text[])) AS t(tag)
            """.formatted(LockTimeout.OF_ONE.condition());

    private static final String INSERT_SCHEDULE = """
            INSERT INTO schedules (job_id, root_id, cron_expression, timezone, dst_gap, dst_overlap, every_ms,
              starts_at, ends_at, max_fires, catch_up, catch_up_max, catch_up_window_ms, overlap, jitter_ms,
              next_run_at, tz_rules, replaces_id, ledger_from)
            SELECT job_id, $2::uuid, $3::text, $4::text, $5::text, $6::text, $7::bigint, $8::timestamptz,
              $9::timestamptz, $10::int, $11::text, $12::int, $13::bigint, $14::text, $15::bigint, $16::timestamptz,
              $17::text, $18::uuid, $19::timestamptz + interval '1 microsecond'
            FROM jobs WHERE job_id = $1::uuid
            RETURNING now() AS created_at
            """;

    // Ids are random: only what is run again, since the answer to the commit was lost, finds its own in use.
    private static final Set<String> OWN_ID = Set.of("jobs_pk", "schedules_pk");

    private static final String SELECT_CREATED = "SELECT created_at FROM jobs WHERE job_id = $1::uuid";

    /** Creates a schedule, or says whose its key is. */
    public Uni<Result> create(NewSchedule schedule) {
        Uni<Result> result = inRegion((region, transaction) -> keys.deleteExpired(transaction, List.of(schedule.job()))
                .chain(() -> insert(transaction, schedule, region, null))
                .chain(rows -> rows.rowCount() > 0
                        ? Uni.createFrom().item(created(rows, schedule))
                        : explain(transaction, schedule.job())));
        return result.onFailure(e -> OWN_ID.contains(String.valueOf(Database.violatedConstraint(e))))
                .recoverWithUni(() -> database.run(
                                SELECT_CREATED, Tuple.of(schedule.job().id()))
                        .map(rows -> created(rows, schedule)))
                .invoke(this::count)
                .invoke(dueSignal::raiseTick);
    }

    private <T extends @Nullable Object> Uni<T> inRegion(BiFunction<Integer, SqlConnection, Uni<T>> work) {
        return regions.number()
                .chain(region -> database.withTransaction(transaction -> work.apply(region, transaction)));
    }

    private Uni<RowSet<Row>> insert(
            SqlConnection transaction, NewSchedule schedule, int region, @Nullable Replaced replaced) {
        var job = schedule.job();
        var parameters = Tuple.tuple()
                .addUUID(job.id())
                .addString(job.endpoint())
                .addInteger(job.endpointVersion())
                .addInteger(job.payloadSpecVersion())
                .addString(job.idempotencyKey().isEmpty() ? null : job.idempotencyKey())
                .addUUID(job.fingerprint())
                .addString(Trigger.kind(schedule.timetable()))
                .addInteger(replaced == null ? 1 : replaced.state().version() + 1)
                .addUUID(replaced == null ? null : replaced.jobId())
                .addInteger(job.lane(region))
                .addString(job.storedInput())
                .addString(job.joinedTags())
                .addString(job.storedTrace())
                .addString(regions.home().name())
                .addLong(job.flow() == null ? null : job.flow().id())
                .addString(job.flow() == null ? null : job.flow().key())
                .addInteger(job.namesQueue() ? job.queueId() : null)
                .addLong(job.ttlMillis())
                .addString(job.storedOptions());
        return Database.on(transaction, INSERT_JOB, parameters)
                .chain(() -> Database.on(transaction, INSERT_SCHEDULE, parameters(schedule, replaced)));
    }

    private static Tuple parameters(NewSchedule schedule, @Nullable Replaced replaced) {
        var id = schedule.job().id();
        var parameters = Tuple.of(id, replaced == null ? id : replaced.state().rootId());
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
                .addLong(millisOrNull(policy.catchUp().window()))
                .addString(policy.overlap().name())
                .addLong(policy.jitter().toMillis())
                .addOffsetDateTime(utc(schedule.nextRunAt()))
                .addString(schedule.zoneRules())
                .addUUID(replaced == null ? null : replaced.jobId())
                .addOffsetDateTime(
                        replaced == null ? null : utc(replaced.state().now()));
    }

    private static Result created(RowSet<Row> rows, NewSchedule schedule) {
        var createdAt = instant(rows.iterator().next(), "created_at");
        return new Result.Created(createdAt, schedule.policy().startsAt(), ExecutionStatus.PENDING);
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
    public record Current(UUID rootId, Instant startsAt, Instant now) {}

    /** A version that is locked, and is to be replaced. */
    private record Replaced(UUID jobId, State state) {}

    // Ticks up to $3 belong to the old version, even when they are still to be made executions of; those after it
    // belong to the new one. So none is lost or doubled, however late the scheduler is.
    private static final String END_OLD = """
            WITH ended_version AS (
              UPDATE schedules
              SET next_run_at = CASE WHEN next_run_at <= $3::timestamptz THEN next_run_at END,
                  ended_at = $3::timestamptz + interval '1 microsecond'
              WHERE job_id = $1::uuid
            )
            UPDATE jobs SET retired_at = now(), replaced_by_id = $2::uuid WHERE job_id = $1::uuid
            """;

    private static final String ONE_SUCCESSOR = "schedules_one_successor";

    /**
     * Replaces the version of a schedule that is in force by the next one, which takes over after the present moment of
     * the database's clock. Of several at once one does. Returns null when the job is no schedule in force, and {@link
     * Result.Stale} when the endpoint has changed.
     *
     * @param newId the id of the job that {@code successor} makes
     */
    public Uni<@Nullable Result> replace(UUID oldId, UUID newId, Function<Current, NewSchedule> successor) {
        Uni<@Nullable Result> replaced = inRegion((region, transaction) -> ScheduleLock.take(transaction, oldId)
                .chain(state -> replace(transaction, region, oldId, newId, state, successor)));
        return replaced.onFailure(e -> ONE_SUCCESSOR.equals(Database.violatedConstraint(e)))
                .recoverWithItem((Result) null)
                .invoke(this::count)
                .invoke(dueSignal::raiseTick);
    }

    private Uni<@Nullable Result> replace(
            SqlConnection transaction,
            int region,
            UUID oldId,
            UUID newId,
            @Nullable State state,
            Function<Current, NewSchedule> successor) {
        if (state != null && newId.equals(state.replacedById())) {
            // This is run again, since the answer to the commit was lost.
            return Uni.createFrom().item(new Result.Created(state.now(), state.startsAt(), ExecutionStatus.PENDING));
        }
        if (state == null || state.retired()) {
            return Uni.createFrom().nullItem();
        }
        var current = new Current(state.rootId(), state.startsAt(), state.now());
        return replaceLocked(transaction, region, new Replaced(oldId, state), successor.apply(current));
    }

    private void count(@Nullable Result result) {
        if (result instanceof Result.Created) {
            database.metrics().created(1);
        }
    }

    private Uni<@Nullable Result> replaceLocked(
            SqlConnection transaction, int region, Replaced replaced, NewSchedule successor) {
        var end = Tuple.of(
                replaced.jobId(), successor.job().id(), utc(replaced.state().now()));
        return insert(transaction, successor, region, replaced)
                .chain(rows -> rows.rowCount() == 0
                        ? Uni.createFrom().item(new Result.Stale())
                        : Database.on(transaction, END_OLD, end).replaceWith(created(rows, successor)));
    }
}
