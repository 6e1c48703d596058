package io.taskexec.store.job;

import static io.taskexec.store.sql.Columns.instant;
import static io.taskexec.store.sql.Columns.utc;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.TaskProgress;
import io.taskexec.store.job.NewJob.Result;
import io.taskexec.store.region.HomeRegion;
import io.taskexec.store.region.RegionFilter;
import io.taskexec.store.sql.Batcher;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.EventedStatement;
import io.taskexec.store.wakeup.DueSignal;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Creates one-shot jobs with their executions: those of many callers in one statement. */
@Singleton
public final class JobCreator {
    // One at a time: two wait for each other's disk writes, with half as many jobs in each.
    private static final Batcher.Limits LIMITS = new Batcher.Limits(256, 10_000, 1);

    private final Database database;
    private final IdempotencyKeyStore keys;
    private final DueSignal dueSignal;
    private final RegionFilter regions;
    private final Batcher<NewJob, Result> batcher;
    private final String insert;
    private final String insertTagged;

    public JobCreator(Database database, IdempotencyKeyStore keys, DueSignal dueSignal, RegionFilter regions) {
        this.database = database;
        this.keys = keys;
        this.dueSignal = dueSignal;
        this.regions = regions;
        this.insert = database.form(insert("", regions.home()));
        this.insertTagged = database.form(insert(INSERT_TAGS, regions.home()));
        this.batcher = new Batcher<>("jobs to be created", LIMITS, Database::blamesData, this::createAll);
    }

    /** Creates one job, or finds the job that has its key. */
    public Uni<Result> create(NewJob job) {
        return batcher.submit(job);
    }

    /** The progress of the batches of jobs. */
    public TaskProgress progress() {
        return batcher.progress();
    }

    // The join with endpoints makes a job possible only on the version that its input was checked against. The lock
    // keeps the endpoint from being deleted until this is committed; creators do not wait for each other, nor for a new
    // version. It is taken once for each endpoint, in the order of their names. Keys are inserted in order, so that two
    // batches with the same keys wait for each other instead of deadlocking; of those in one batch the oldest id gets
    // the key. IS TRUE keeps the planner from making a join of IN: it takes wanted for one row, and would compare each
    // with each instead of hashing.
    private static String beforeTags(HomeRegion region) {
        return """
            WITH current_endpoints AS MATERIALIZED (
              SELECT name, version, payload_spec_ref FROM endpoints WHERE name = ANY($2::text[])
              ORDER BY name
              FOR KEY SHARE
            ), wanted AS MATERIALIZED (
              SELECT asked.* FROM unnest($1::uuid[], $2::text[], $3::int[], $4::int[], $5::text[], $6::timestamptz[],
                $7::bigint[], $8::int[], $9::text[], $10::uuid[], $11::text[], $12::text[],
                $13::text[])
                AS asked(id, endpoint, version, spec_version, trigger_type, run_at, delay_ms, lane, key, fingerprint,
                  input, tags, trace)
              JOIN current_endpoints e ON e.name = asked.endpoint AND e.version = asked.version
              LEFT JOIN payload_specs p ON p.name = e.payload_spec_ref
              WHERE coalesce(p.version, 0) = asked.spec_version
            ), new_keys AS (
              INSERT INTO idempotency_keys (endpoint, idempotency_key, job_id, fingerprint, created_at)
              SELECT endpoint, key, id, fingerprint, now() FROM wanted ORDER BY endpoint, key, id
              ON CONFLICT (endpoint, idempotency_key) DO NOTHING
              RETURNING job_id
            ), new_jobs AS (
              INSERT INTO jobs (job_id, endpoint, endpoint_version, trigger_type, lane, idempotency_key, input,
                created_at, tags, trace%1$s)
              SELECT id, endpoint, version, trigger_type, lane, key, input::json, now(), string_to_array(tags, ','),
                trace%2$s
              FROM wanted WHERE (wanted.id IN (SELECT job_id FROM new_keys)) IS TRUE
            )
            """.formatted(region.column(), region.value());
    }

    public static final String INSERT_TAGS = """
            , new_tags AS (
              INSERT INTO job_tags (tag, job_id)
              SELECT unnest(string_to_array(wanted.tags, ',')), wanted.id FROM wanted
              WHERE (wanted.id IN (SELECT job_id FROM new_keys)) IS TRUE AND wanted.tags IS NOT NULL
            )
            """;

    private static String afterTags(HomeRegion region) {
        return """
            INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at%1$s)
            SELECT wanted.id, wanted.id, wanted.lane, greatest(due.run_at, now()), due.run_at, now()%2$s
            FROM wanted,
              LATERAL (SELECT coalesce(wanted.run_at, now() + wanted.delay_ms * interval '1 millisecond'))
                AS due(run_at)
            WHERE (wanted.id IN (SELECT job_id FROM new_keys)) IS TRUE
            """.formatted(region.column(), region.value());
    }

    private static final String RETURNED = "job_id, created_at, run_at, visible_at <= now() AS due";

    public static EventedStatement insert(String tags, HomeRegion region) {
        return EventedStatement.creating(beforeTags(region).stripTrailing() + tags, afterTags(region), RETURNED);
    }

    /** A part that inserts nothing costs an eighth of the statement, so it is left out where no job has tags. */
    private String insert(List<NewJob> jobs) {
        return jobs.stream().allMatch(job -> job.tags().isEmpty()) ? insert : insertTagged;
    }

    private Uni<List<Result>> createAll(List<NewJob> jobs) {
        return regions.number()
                .chain(region -> database.run(insert(jobs), parameters(jobs, region)))
                .chain(rows -> results(jobs, rows));
    }

    private Uni<List<Result>> results(List<NewJob> jobs, RowSet<Row> rows) {
        var created = createdById(rows);
        database.metrics().created(created.size());
        signal(created.values());
        var others = jobs.stream().filter(job -> !created.containsKey(job.id())).toList();
        return others.isEmpty()
                ? inOrder(jobs, created)
                : explain(others, created).chain(all -> inOrder(jobs, all));
    }

    private void signal(Collection<Result> results) {
        var soon = Instant.now().plus(DueSignal.HORIZON);
        if (results.stream()
                .anyMatch(result ->
                        result instanceof Result.Created c && c.runAt().isBefore(soon))) {
            dueSignal.raise();
        }
    }

    private static Uni<List<Result>> inOrder(List<NewJob> jobs, Map<UUID, Result> results) {
        return Uni.createFrom()
                .item(jobs.stream()
                        .map(job -> results.getOrDefault(job.id(), new Result.Stale()))
                        .toList());
    }

    private static Map<UUID, Result> createdById(RowSet<Row> rows) {
        var created = new HashMap<UUID, Result>();
        rows.forEach(row -> created.put(
                row.getUUID("job_id"),
                new Result.Created(instant(row, "created_at"), instant(row, "run_at"), row.getBoolean("due"))));
        return created;
    }

    // A statement of its own, because the one above cannot see the rows that it was refused for.
    private static final String SELECT_KEYS = """
            SELECT n.id, k.job_id, k.fingerprint = n.fingerprint AS same_request,
                   k.created_at <= now() - $5::bigint * interval '1 millisecond' AS expired, l.created_at, l.run_at,
                   l.visible_at <= now() AS due
            FROM unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[]) AS n(id, endpoint, key, fingerprint)
            JOIN idempotency_keys k ON k.endpoint = n.endpoint AND k.idempotency_key = n.key
            LEFT JOIN exec_live l ON l.execution_id = n.id
            """;

    private Uni<Map<UUID, Result>> explain(List<NewJob> jobs, Map<UUID, Result> created) {
        var parameters = Tuple.tuple()
                .addValue(array(jobs, NewJob::id, UUID[]::new))
                .addValue(array(jobs, NewJob::endpoint, String[]::new))
                .addValue(array(jobs, NewJob::idempotencyKey, String[]::new))
                .addValue(array(jobs, NewJob::fingerprint, UUID[]::new))
                .addLong(keys.ttl().toMillis());
        return database.run(SELECT_KEYS, parameters).chain(rows -> {
            var expired = new HashSet<UUID>();
            rows.forEach(row -> {
                if (row.getBoolean("expired")) {
                    expired.add(row.getUUID("id"));
                } else {
                    var result = explanation(row);
                    if (result instanceof Result.Created) {
                        database.metrics().created(1);
                    }
                    created.put(row.getUUID("id"), result);
                }
            });
            return expired.isEmpty() ? Uni.createFrom().item(created) : createAgain(jobs, expired, created);
        });
    }

    // In one transaction, so that no reader sees the key missing in between.
    private Uni<Map<UUID, Result>> createAgain(List<NewJob> jobs, Set<UUID> expired, Map<UUID, Result> created) {
        var again = jobs.stream().filter(job -> expired.contains(job.id())).toList();
        return regions.number()
                .chain(region -> database.withTransaction(transaction -> keys.deleteExpired(transaction, again)
                        .chain(() -> Database.on(transaction, insert(again), parameters(again, region)))))
                .chain(rows -> results(again, rows))
                .map(results -> {
                    for (var i = 0; i < again.size(); i++) {
                        created.put(again.get(i).id(), results.get(i));
                    }
                    return created;
                });
    }

    /** Our own id under the key means that the insert was committed although its answer was lost. */
    private static Result explanation(Row row) {
        var owner = row.getUUID("job_id");
        return owner.equals(row.getUUID("id")) && row.getOffsetDateTime("created_at") != null
                ? new Result.Created(instant(row, "created_at"), instant(row, "run_at"), row.getBoolean("due"))
                : new Result.Duplicate(owner, row.getBoolean("same_request"));
    }

    public static Tuple parameters(List<NewJob> jobs, int region) {
        return Tuple.tuple()
                .addValue(array(jobs, NewJob::id, UUID[]::new))
                .addValue(array(jobs, NewJob::endpoint, String[]::new))
                .addValue(array(jobs, NewJob::endpointVersion, Integer[]::new))
                .addValue(array(jobs, NewJob::payloadSpecVersion, Integer[]::new))
                .addValue(array(jobs, NewJob::trigger, String[]::new))
                .addValue(array(jobs, job -> utc(job.runAt()), OffsetDateTime[]::new))
                .addValue(array(jobs, job -> job.delay().toMillis(), Long[]::new))
                .addValue(array(jobs, job -> job.lane(region), Integer[]::new))
                .addValue(array(jobs, NewJob::idempotencyKey, String[]::new))
                .addValue(array(jobs, NewJob::fingerprint, UUID[]::new))
                .addValue(array(jobs, NewJob::input, String[]::new))
                .addValue(array(jobs, NewJob::joinedTags, String[]::new))
                .addValue(array(jobs, NewJob::storedTrace, String[]::new));
    }

    private static <T extends @Nullable Object> T[] array(
            List<NewJob> jobs, Function<NewJob, T> column, IntFunction<T[]> maker) {
        return jobs.stream().map(column).toArray(maker);
    }
}
