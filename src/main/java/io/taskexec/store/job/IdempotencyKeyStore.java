package io.taskexec.store.job;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.Uuid7;
import io.taskexec.store.sql.Batcher;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.LockTimeout;
import io.taskexec.store.sql.StoreConfig;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Finds jobs by their idempotency keys, and expires those. A key lives at least as long as its job has not ended. An
 * expired key is removed when it is used again, so that its lifetime is exact; all others are removed by a sweep, or
 * with their jobs.
 */
@Singleton
public final class IdempotencyKeyStore {
    /** Ids are made by the clocks of the processes, which may differ from the database's by less than this. */
    private static final Duration CLOCK_SKEW = Duration.ofMinutes(5);

    /** One statement at a time: a batch of jobs that are all refused must not take all connections. */
    private static final Batcher.Limits LIMITS = new Batcher.Limits(256, 10_000, 1);

    private final Database database;
    private final Duration ttl;
    private final Batcher<Use, Optional<NewJob.Result.Duplicate>> lookups;

    public IdempotencyKeyStore(Database database, StoreConfig config) {
        this.database = database;
        this.ttl = config.idempotencyKeyTtl();
        this.lookups = new Batcher<>("keys to be looked up", LIMITS, this::findAll);
    }

    /** How long a key keeps another job from being created. */
    Duration ttl() {
        return ttl;
    }

    // Scalar subqueries: a join may make the planner read a whole index.
    private static final String HAS_ENDED = """
            (SELECT l.execution_id FROM exec_live l WHERE l.execution_id = k.job_id) IS NULL
              AND (SELECT j.job_id FROM schedules s JOIN schedules v ON v.root_id = s.root_id
                   JOIN jobs j ON j.job_id = v.job_id
                   WHERE s.job_id = k.job_id AND j.retired_at IS NULL LIMIT 1) IS NULL""";

    /** The condition on a key {@code k} which says that it has expired, with the lifetime in milliseconds. */
    static String hasExpired(String lifetime) {
        return "(k.created_at <= now() - %s * interval '1 millisecond' AND %s)".formatted(lifetime, HAS_ENDED);
    }

    private record Use(String endpoint, String key, UUID fingerprint) {}

    private static final String FIND = """
            SELECT n.place, k.job_id, k.fingerprint = n.fingerprint AS same_request
            FROM unnest($1::int[], $2::text[], $3::text[], $4::uuid[]) AS n(place, endpoint, key, fingerprint)
            JOIN idempotency_keys k ON k.endpoint = n.endpoint AND k.idempotency_key = n.key
            WHERE NOT %s
            """.formatted(hasExpired("$5::bigint"));

    /** The job that has a key which has not expired, null when none has. */
    Uni<NewJob.Result.@Nullable Duplicate> find(String endpoint, String key, UUID fingerprint) {
        return lookups.submit(new Use(endpoint, key, fingerprint))
                .chain(found -> found.isEmpty()
                        ? Uni.createFrom().nullItem()
                        : Uni.createFrom().item(found.get()));
    }

    private Uni<List<Optional<NewJob.Result.Duplicate>>> findAll(List<Use> uses) {
        var parameters = Tuple.tuple()
                .addValue(IntStream.range(0, uses.size()).boxed().toArray(Integer[]::new))
                .addValue(Columns.array(uses, String[]::new, Use::endpoint))
                .addValue(Columns.array(uses, String[]::new, Use::key))
                .addValue(Columns.array(uses, UUID[]::new, Use::fingerprint))
                .addLong(ttl.toMillis());
        return database.run(FIND, parameters).map(rows -> {
            List<Optional<NewJob.Result.Duplicate>> found =
                    new ArrayList<>(Collections.nCopies(uses.size(), Optional.empty()));
            for (var row : rows) {
                var duplicate = new NewJob.Result.Duplicate(row.getUUID("job_id"), row.getBoolean("same_request"));
                found.set(row.getInteger("place"), Optional.of(duplicate));
            }
            return found;
        });
    }

    // Of a schedule the newest version, which does not name the key again.
    private static final String FIND_JOB = """
            SELECT coalesce(
              (SELECT v.job_id FROM schedules s JOIN schedules v ON v.root_id = s.root_id
               JOIN jobs j ON j.job_id = v.job_id
               WHERE s.job_id = k.job_id ORDER BY j.version DESC, v.job_id DESC LIMIT 1), k.job_id) AS job_id
            FROM idempotency_keys k
            WHERE k.endpoint = $1::text AND k.idempotency_key = $2::text AND NOT %s
            """.formatted(hasExpired("$3::bigint"));

    /** The id of the job that has a key which has not expired, null when none has. */
    public Uni<@Nullable UUID> findJob(String endpoint, String key) {
        return database.run(FIND_JOB, Tuple.of(endpoint, key, ttl.toMillis()))
                .map(rows -> Columns.first(rows, row -> row.getUUID("job_id")));
    }

    private static final String DELETE_EXPIRED =
            """
            DELETE FROM idempotency_keys k
            USING unnest($1::text[], $2::text[]) AS n(endpoint, key)
            WHERE k.endpoint = n.endpoint AND k.idempotency_key = n.key AND %s AND %s
            """.formatted(hasExpired("$3::bigint"), LockTimeout.OF_ONE.condition());

    /** Removes those of these jobs' keys that have expired. */
    Uni<Void> deleteExpired(SqlConnection transaction, List<NewJob> jobs) {
        var parameters = Tuple.of(
                jobs.stream().map(NewJob::endpoint).toArray(String[]::new),
                jobs.stream().map(NewJob::idempotencyKey).toArray(String[]::new),
                ttl.toMillis());
        return Database.on(transaction, DELETE_EXPIRED, parameters).replaceWithVoid();
    }

    // Jobs are walked through in the order of their creation, so that keys need no index by time. The key of a job that
    // has not ended by then goes with its job, and so does one that is much younger than the id of its job says: that
    // was made by a clock far behind.
    public static final String SWEEP = """
            WITH old AS MATERIALIZED (
              SELECT j.job_id, j.endpoint, j.idempotency_key
              FROM jobs j, (SELECT position FROM sweeps WHERE name = 'idempotency_keys') AS sweep
              WHERE j.job_id > sweep.position AND j.job_id < $1::uuid
              ORDER BY j.job_id
              LIMIT $2::bigint
            ), removed_keys AS (
              DELETE FROM idempotency_keys k USING old
              WHERE k.endpoint = old.endpoint AND k.idempotency_key = old.idempotency_key AND k.job_id = old.job_id
                AND %s
            ), last AS (
              SELECT job_id FROM old ORDER BY job_id DESC LIMIT 1
            ), moved_sweep AS (
              UPDATE sweeps SET position = last.job_id FROM last
              WHERE name = 'idempotency_keys' AND position < last.job_id
            )
            SELECT count(*) AS seen FROM old
            """.formatted(hasExpired("$3::bigint"));

    /**
     * Removes the keys of at most {@code limit} jobs that have expired by {@code now}, which is the database's clock;
     * returns how many were seen.
     */
    public Uni<Integer> sweep(Instant now, int limit) {
        UUID end = Uuid7.floor(now.minus(ttl).minus(CLOCK_SKEW));
        return database.run(SWEEP, Tuple.of(end, (long) limit, ttl.toMillis()))
                .map(rows -> rows.iterator().next().getInteger("seen"));
    }
}
