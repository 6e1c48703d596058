package io.taskexec.store.job;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.Uuid7;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.StoreConfig;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Expires idempotency keys. An expired key is removed when it is used again, so that its lifetime is exact; all others
 * are removed by a sweep.
 */
@Singleton
public final class IdempotencyKeyStore {
    /** Ids are made by the clocks of the processes, which may differ from the database's by less than this. */
    private static final Duration CLOCK_SKEW = Duration.ofMinutes(5);

    private final Database database;
    private final Duration ttl;

    public IdempotencyKeyStore(Database database, StoreConfig config) {
        this.database = database;
        this.ttl = config.idempotencyKeyTtl();
    }

    /** How long a key keeps another job from being created. */
    Duration ttl() {
        return ttl;
    }

    private static final String FIND = """
            SELECT job_id, fingerprint = $3::uuid AS same_request
            FROM idempotency_keys
            WHERE endpoint = $1::text AND idempotency_key = $2::text
              AND created_at > now() - $4::bigint * interval '1 millisecond'
            """;

    /** The job that has a key which has not expired, null when none has. */
    Uni<NewJob.Result.@Nullable Duplicate> find(String endpoint, String key, UUID fingerprint) {
        return database.run(FIND, Tuple.of(endpoint, key, fingerprint, ttl.toMillis()))
                .map(rows -> Columns.first(
                        rows,
                        row -> new NewJob.Result.Duplicate(row.getUUID("job_id"), row.getBoolean("same_request"))));
    }

    private static final String DELETE_EXPIRED = """
            DELETE FROM idempotency_keys k
            USING unnest($1::text[], $2::text[]) AS n(endpoint, key)
            WHERE k.endpoint = n.endpoint AND k.idempotency_key = n.key
              AND k.created_at <= now() - $3::bigint * interval '1 millisecond'
            """;

    /** Removes those of these jobs' keys that have expired. */
    Uni<Void> deleteExpired(SqlConnection transaction, List<NewJob> jobs) {
        var parameters = Tuple.of(
                jobs.stream().map(NewJob::endpoint).toArray(String[]::new),
                jobs.stream().map(NewJob::idempotencyKey).toArray(String[]::new),
                ttl.toMillis());
        return Database.on(transaction, DELETE_EXPIRED, parameters).replaceWithVoid();
    }

    // Jobs outlive their keys and are walked through in the order of their creation, so that keys need no index by
    // time.
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
            ), last AS (
              SELECT job_id FROM old ORDER BY job_id DESC LIMIT 1
            ), moved_sweep AS (
              UPDATE sweeps SET position = last.job_id FROM last
              WHERE name = 'idempotency_keys' AND position < last.job_id
            )
            SELECT count(*) AS seen FROM old
            """;

    /** Removes the keys of at most {@code limit} jobs that have expired by {@code now}; returns how many were seen. */
    public Uni<Integer> sweep(Instant now, int limit) {
        UUID end = Uuid7.floor(now.minus(ttl).minus(CLOCK_SKEW));
        return database.run(SWEEP, Tuple.of(end, (long) limit))
                .map(rows -> rows.iterator().next().getInteger("seen"));
    }
}
