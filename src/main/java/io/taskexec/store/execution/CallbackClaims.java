package io.taskexec.store.execution;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.delivery.Claim;
import io.taskexec.store.sql.Batcher;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.Fence;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Takes the leases of executions for callbacks, many in one statement. Who has such a lease records a result as a
 * worker does; the worker of an attempt that still runs loses its own lease by it.
 */
@Singleton
public final class CallbackClaims {
    private final Database database;
    private final Batcher<Wanted, Optional<Claim>> claims;

    public CallbackClaims(Database database) {
        this.database = database;
        this.claims = new Batcher<>("callbacks", Fence.LIMITS, this::takeAll);
    }

    private record Wanted(UUID executionId, int attempt, long token) {}

    // Locks executions in the order of their ids: what a worker records at this moment is waited for, and the row is
    // checked as that has left it. An attempt that has failed moves callback_from on. What is parked is free again, and
    // a claim decides over it if we die here. A deferred execution has given its place of the queue to another one. Of
    // a token that was lost nothing is left but the lease, which ends. The commit does not wait for the disk: what is
    // recorded next does, and comes behind it there.
    private static final String TAKE = """
            WITH wanted AS MATERIALIZED (
              SELECT execution_id FROM exec_live
              WHERE execution_id = ANY($1::uuid[])
              ORDER BY execution_id
              FOR UPDATE
            ), taken AS (
              UPDATE exec_live live
              SET lease_token = ($2::bigint[])[%1$s], visible_at = now() + interval '30 seconds',
                  worker_id = coalesce(live.worker_id, gen_random_uuid()),
                  started_at = coalesce(live.started_at, now()),
                  flow_state = CASE live.flow_state WHEN 1 THEN 0 ELSE live.flow_state END,
                  holds_queue = live.holds_queue AND NOT live.deferred
              WHERE live.execution_id = ANY(ARRAY(SELECT execution_id FROM wanted))
                AND ($3::int[])[%1$s] BETWEEN live.callback_from AND live.attempt
                AND (SELECT set_config('synchronous_commit', 'off', true)) IS NOT NULL
              RETURNING live.execution_id, live.job_id, live.attempt, live.failures, live.rescues, live.config_version,
                        live.run_at, live.endpoint_version AS replayed_version, live.has_children, live.deferred,
                        live.lease_token, live.flow_id, NULL::float8 AS expires_in
            )
            SELECT taken.*, j.endpoint, coalesce(taken.replayed_version, j.endpoint_version) AS endpoint_version,
                   j.input::text AS input, j.options::text AS options, j.trace,
                   j.trigger_rule IS NOT NULL AS has_parents,
                   (SELECT value FROM epochs WHERE name = 'secrets') AS secret_epoch
            FROM taken LEFT JOIN jobs j ON j.job_id = taken.job_id
            """.formatted(Fence.PLACE);

    /**
     * Takes the lease of an execution for a callback of this attempt. Returns nothing when that may not end it any
     * more, or another callback took it at the same moment.
     */
    public Uni<Optional<Claim>> take(UUID executionId, int attempt) {
        // Random and not a counter: a counter could repeat after a failover that lost the last commits.
        return claims.submit(
                new Wanted(executionId, attempt, ThreadLocalRandom.current().nextLong()));
    }

    private Uni<List<Optional<Claim>>> takeAll(List<Wanted> batch) {
        var parameters = Tuple.tuple()
                .addValue(batch.stream().map(Wanted::executionId).toArray(UUID[]::new))
                .addValue(batch.stream().map(Wanted::token).toArray(Long[]::new))
                .addValue(batch.stream().map(Wanted::attempt).toArray(Integer[]::new));
        return database.run(database.keepingPlan(TAKE), parameters).map(rows -> {
            var taken = new HashMap<Long, Row>();
            rows.forEach(row -> taken.put(row.getLong("lease_token"), row));
            return batch.stream()
                    .map(wanted -> read(taken.get(wanted.token()), wanted))
                    .toList();
        });
    }

    private static Optional<Claim> read(@Nullable Row row, Wanted wanted) {
        return row == null ? Optional.empty() : Optional.of(ClaimRows.readOrSayWhy(row, wanted.token()));
    }
}
