package io.taskexec.store.job;

import static io.taskexec.store.sql.Columns.durationOrNull;
import static io.taskexec.store.sql.Columns.instant;
import static io.taskexec.store.sql.Columns.instantOrNull;
import static io.taskexec.store.sql.Columns.jsonOrNull;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.Page;
import io.taskexec.model.TraceContext;
import io.taskexec.model.dependency.Dependencies;
import io.taskexec.model.dependency.TriggerRule;
import io.taskexec.model.endpoint.EndpointType;
import io.taskexec.model.job.Execution;
import io.taskexec.model.job.Expiry;
import io.taskexec.model.job.Job;
import io.taskexec.model.job.JobOptions;
import io.taskexec.model.job.JobStatus;
import io.taskexec.model.job.Pause;
import io.taskexec.model.job.ScheduleState;
import io.taskexec.model.job.Trigger;
import io.taskexec.store.execution.ExecutionStore;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.sql.LookLimits;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Reads jobs. */
@Singleton
public final class JobStore {
    private final Database database;

    public JobStore(Database database) {
        this.database = database;
    }

    private static final String COLUMNS =
            """
            SELECT j.job_id, j.endpoint, j.endpoint_version, v.endpoint_type,
                   coalesce(j.options -> 'target' -> 'retry_policy', v.retry_policy)::text AS retry_policy,
                   j.trigger_type, j.version, j.previous_version_id, j.replaced_by_id, j.lane, q.name AS queue,
                   q.queue_id <> v.queue_id AS names_queue, j.tags,
                   j.flow_key, j.idempotency_key, j.trace, j.ttl_ms, j.expires_at, j.deadline,
                   j.trigger_rule, j.options::text AS options, parents.ids AS parent_ids, parents.names AS parent_names,
                   j.input::text AS input, j.created_at AS job_created_at, j.retired_at,
                   s.next_run_at, s.last_tick_at, s.fires, s.set_aside_reason, p.paused_at, p.until, p.reason,
            """ + ScheduleColumns.SQL + ", " + ExecutionStore.STATE + """
            FROM jobs j
            JOIN endpoint_versions v ON v.name = j.endpoint AND v.version = j.endpoint_version
            JOIN queues q ON q.queue_id = %s
            LEFT JOIN schedules s ON s.job_id = j.job_id
            LEFT JOIN LATERAL (
              SELECT paused_at, until, reason FROM pauses
              WHERE root_id = s.root_id AND (until IS NULL OR until > now())
              ORDER BY paused_at DESC LIMIT 1
            ) AS p ON true
            LEFT JOIN LATERAL (
              SELECT array_agg(e.parent_id ORDER BY e.name) AS ids, array_agg(e.name ORDER BY e.name) AS names
              FROM job_edges e WHERE j.trigger_rule IS NOT NULL AND e.child_id = j.job_id AND e.name <> ''
            ) AS parents ON true
            LEFT JOIN exec_live l ON l.execution_id = j.job_id
            LEFT JOIN executions x ON x.execution_id = j.job_id
            """.formatted(Lanes.queue("j.lane"));

    private static final String SELECT = COLUMNS + "WHERE j.job_id = $1::uuid";

    /** The job with the execution of its own id; null when no job has that id. */
    public Uni<@Nullable Job> find(UUID id) {
        return database.run(SELECT, Tuple.of(id)).map(rows -> Columns.first(rows, JobStore::read));
    }

    private static final String VERSIONS = COLUMNS + """
            WHERE (j.job_id = $1::uuid OR j.job_id IN (
              SELECT v.job_id FROM schedules o JOIN schedules v ON v.root_id = o.root_id WHERE o.job_id = $1::uuid))
              AND ($2::int IS NULL OR (j.version, j.job_id) < ($2::int, $3::uuid))
            ORDER BY j.version DESC, j.job_id DESC
            LIMIT $4::bigint
            """;

    /** A place in the versions of a job, of which two have one number where a schedule was forked. */
    public record VersionPlace(int version, UUID jobId) {}

    /**
     * The versions of a job, newest first; a one-shot job is its only one.
     *
     * @param before the last version of the page before
     */
    public Uni<Page<Job, VersionPlace>> versions(UUID jobId, int limit, @Nullable VersionPlace before) {
        var version = before == null ? null : before.version();
        var id = before == null ? null : before.jobId();
        return database.run(VERSIONS, Tuple.of(jobId, version, id, limit + 1L))
                .map(rows -> Page.of(
                        Columns.list(rows, JobStore::read), limit, job -> new VersionPlace(job.version(), job.id())));
    }

    /**
     * A filter of jobs; null for any.
     *
     * @param createdFrom at this moment or later
     * @param createdBefore before this moment
     */
    public record Filter(
            @Nullable String endpoint,
            @Nullable String queue,
            @Nullable String tag,
            @Nullable String trigger,
            @Nullable JobStatus status,
            @Nullable Instant createdFrom,
            @Nullable Instant createdBefore) {
        /** All jobs. */
        public static final Filter NONE = new Filter(null, null, null, null, null, null, null);
    }

    /**
     * Newest first; {@code after} is the last job of the page before, or the last one that was looked at for it. Only
     * the conditions that are asked for are in the statement, so that the planner can choose an index for them.
     */
    public Uni<Page<Job, UUID>> list(Filter filter, int limit, @Nullable UUID after) {
        var source = JobSource.of(filter);
        return source.asksEach(filter)
                ? newest(filter, limit, after, mostLookedAt(filter))
                : list(source, filter, limit, after, null);
    }

    /** Those among the newest so many. */
    Uni<Page<Job, UUID>> newest(Filter filter, int limit, @Nullable UUID after, int most) {
        var source = JobSource.of(filter);
        var conditions = source.conditions(filter, after);
        return database.run(source.lastSql(conditions), conditions.parameters(most - 1L))
                .map(rows -> Columns.first(rows, row -> row.getUUID("job_id")))
                .chain(last -> list(source, filter, limit, after, last));
    }

    /** The most jobs that are looked at for a page; who wants more asks for the next one. */
    public static int mostLookedAt(Filter filter) {
        return JobSource.of(filter).asksOtherTables(filter) ? LookLimits.LOOKUPS : LookLimits.ROWS;
    }

    private Uni<Page<Job, UUID>> list(
            JobSource source, Filter filter, int limit, @Nullable UUID after, @Nullable UUID lookedAt) {
        var conditions = source.conditions(filter, after).and(source.id() + " >= ?::uuid", lookedAt);
        source.addOthers(conditions, filter);
        var end = "DESC LIMIT " + conditions.next() + "::bigint";
        var ids = "SELECT " + source.id() + " FROM " + source.from() + "\n" + conditions.where() + "ORDER BY "
                + source.id() + " " + end;
        var sql = COLUMNS + "WHERE j.job_id = ANY(ARRAY(" + ids + "))\nORDER BY j.job_id " + end;
        return database.run(sql, conditions.parameters(limit + 1L))
                .map(rows -> Page.of(Columns.list(rows, JobStore::read), limit, Job::id, lookedAt));
    }

    private static Job read(Row row) {
        var execution = ExecutionStore.readOrNull(row);
        return new Job(
                row.getUUID("job_id"),
                row.getString("endpoint"),
                row.getInteger("endpoint_version"),
                EndpointType.valueOf(row.getString("endpoint_type")),
                trigger(row),
                status(row, execution),
                row.getInteger("version"),
                row.getUUID("previous_version_id"),
                row.getUUID("replaced_by_id"),
                row.getString("queue"),
                row.getBoolean("names_queue"),
                row.getString("flow_key"),
                Lanes.priority(row.getInteger("lane")),
                expiry(row),
                dependencies(row),
                JobOptions.of(jsonOrNull(row, "options")),
                tags(row),
                row.getString("idempotency_key"),
                jsonOrNull(row, "input"),
                instant(row, "job_created_at"),
                traceId(row),
                execution);
    }

    private static Expiry expiry(Row row) {
        return new Expiry(
                durationOrNull(row, "ttl_ms"), instantOrNull(row, "expires_at"), instantOrNull(row, "deadline"));
    }

    /** The parents that are still known: of one that has ended the edge may have gone with it. */
    private static @Nullable Dependencies dependencies(Row row) {
        var rule = TriggerRule.ofWord(row.getString("trigger_rule"));
        if (rule == null) {
            return null;
        }
        var ids = row.getArrayOfUUIDs("parent_ids");
        var names = row.getArrayOfStrings("parent_names");
        return new Dependencies(
                ids == null
                        ? List.of()
                        : IntStream.range(0, ids.length)
                                .mapToObj(i -> new Dependencies.Parent(ids[i], names[i]))
                                .toList(),
                rule);
    }

    private static @Nullable String traceId(Row row) {
        var text = row.getString("trace");
        var trace = text == null ? null : TraceContext.ofText(text);
        return trace == null ? null : trace.traceId();
    }

    private static List<String> tags(Row row) {
        var tags = row.getArrayOfStrings("tags");
        return tags == null ? List.of() : List.of(tags);
    }

    /** A one-shot job is retired by the end of its execution, a schedule by a date of its own. */
    private static JobStatus status(Row row, @Nullable Execution execution) {
        var active = row.getOffsetDateTime("starts_at") != null
                ? row.getOffsetDateTime("retired_at") == null
                : execution != null && execution.completedAt() == null;
        return active ? JobStatus.ACTIVE : JobStatus.RETIRED;
    }

    private static ScheduleState state(Row row) {
        var pausedAt = instantOrNull(row, "paused_at");
        return new ScheduleState(
                instantOrNull(row, "next_run_at"),
                instantOrNull(row, "last_tick_at"),
                row.getLong("fires"),
                pausedAt == null ? null : new Pause(pausedAt, instantOrNull(row, "until"), row.getString("reason")),
                row.getString("set_aside_reason"));
    }

    private static Trigger trigger(Row row) {
        return switch (row.getString("trigger_type")) {
            case "IMMEDIATE" -> new Trigger.Immediate();
            case "DELAYED" -> new Trigger.Delayed(instant(row, "run_at"));
            case "CRON", "INTERVAL" ->
                new Trigger.Scheduled(ScheduleColumns.timetable(row), ScheduleColumns.policy(row), state(row));
            default -> throw new IllegalStateException("unknown trigger " + row.getString("trigger_type"));
        };
    }
}
