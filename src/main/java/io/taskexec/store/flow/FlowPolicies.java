package io.taskexec.store.flow;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.flow.FlowKey;
import io.taskexec.model.flow.FlowPolicy;
import io.taskexec.model.flow.RateLimit;
import io.taskexec.store.sql.Database;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Writes the limits that hold for all executions of an endpoint that have flow keys, those of before too. */
public final class FlowPolicies {
    private FlowPolicies() {}

    private static final String UPSERT = """
            INSERT INTO flow_policies
              (endpoint, own_flow_id, max_concurrency, rate_spacing_us, rate_burst, fifo, fair)
            VALUES ($1::text, $2::bigint, $3::int, $4::bigint, $5::int, $6::boolean, $7::boolean)
            ON CONFLICT (endpoint) DO UPDATE
            SET max_concurrency = excluded.max_concurrency, rate_spacing_us = excluded.rate_spacing_us,
                rate_burst = excluded.rate_burst, fifo = excluded.fifo, fair = excluded.fair,
                adaptive_limit = NULL, adaptive_changes = flow_policies.adaptive_changes + 1
            """;

    private static final String DELETE = "DELETE FROM flow_policies WHERE endpoint = $1::text";

    // What is parked waits in the order that holds from now on. Executions are locked before limits, as elsewhere.
    private static final String REORDER = """
            UPDATE exec_live SET flow_line = CASE WHEN $2::boolean THEN 0 ELSE lane & 7 END
            WHERE flow_id = ANY(ARRAY(SELECT flow_id FROM flow_limits WHERE endpoint = $1::text AND lined))
              AND flow_state = 1 AND flow_line <> CASE WHEN $2::boolean THEN 0 ELSE lane & 7 END
            """;

    // Tokens that were spent at the rate of before come back at the one that holds now: with none left, the first one
    // comes after the time of one.
    private static final String RELEASE_SOON = """
            WITH limits AS MATERIALIZED (
              SELECT flow_id FROM flow_limits
              WHERE endpoint = $1::text AND (lined OR tat > now() + $2::bigint * interval '1 microsecond')
              ORDER BY flow_id
              FOR UPDATE
            )
            UPDATE flow_limits f
            SET release_at = CASE WHEN f.lined THEN least(f.release_at, now()) ELSE f.release_at END,
                tat = least(f.tat, now() + $2::bigint * interval '1 microsecond')
            WHERE f.flow_id = ANY(ARRAY(SELECT flow_id FROM limits))
            """;

    /**
     * Sets the limits of an endpoint; null for none. What is parked is released as far as they let it once this is
     * committed.
     */
    public static Uni<Void> write(SqlConnection transaction, String endpoint, @Nullable FlowPolicy policy) {
        if (policy == null) {
            return Database.on(transaction, DELETE, Tuple.of(endpoint))
                    .chain(deleted -> deleted.rowCount() == 0
                            ? Uni.createFrom().voidItem()
                            : releaseSoon(transaction, endpoint, false, null));
        }
        var rate = policy.rate();
        var row = Tuple.of(endpoint, FlowKey.of(endpoint, "").id())
                .addInteger(policy.maxConcurrency())
                .addLong(rate == null ? null : rate.spacingMicros())
                .addInteger(rate == null ? null : rate.burst())
                .addBoolean(policy.isFifo())
                .addBoolean(policy.fair());
        return Database.on(transaction, UPSERT, row)
                .chain(() -> releaseSoon(transaction, endpoint, policy.isFifo(), rate));
    }

    private static Uni<Void> releaseSoon(
            SqlConnection transaction, String endpoint, boolean isFifo, @Nullable RateLimit rate) {
        var allTokens = rate == null ? null : rate.allTokensMicros();
        return Database.on(transaction, REORDER, Tuple.of(endpoint, isFifo))
                .chain(() -> Database.on(transaction, RELEASE_SOON, Tuple.of(endpoint, allTokens)))
                .replaceWithVoid();
    }

    // After the pause of a queue, in which lines may have stood still. Keys are locked in one order, as elsewhere.
    private static final String LOOK_AT_LINES = """
            WITH lines AS MATERIALIZED (
              SELECT flow_id FROM flow_limits WHERE lined AND release_at > now() ORDER BY flow_id FOR UPDATE
            )
            UPDATE flow_limits SET release_at = now() WHERE flow_id = ANY(ARRAY(SELECT flow_id FROM lines))
            """;

    /** Lets all lines be looked at that wait for a time. */
    public static Uni<Void> lookAtLines(Database database) {
        return database.run(LOOK_AT_LINES, Tuple.tuple()).replaceWithVoid();
    }

    private static final String DELETE_ALL = "DELETE FROM flow_policies WHERE endpoint = ANY($1::text[])";

    private static final String DELETE_LIMITS = "DELETE FROM flow_limits WHERE endpoint = ANY($1::text[])";

    /** Removes the limits and the counters of endpoints that have no executions. */
    public static Uni<Void> delete(SqlConnection transaction, Collection<String> endpoints) {
        var names = Tuple.tuple().addValue(endpoints.toArray(String[]::new));
        return Database.on(transaction, DELETE_ALL, names)
                .chain(() -> Database.on(transaction, DELETE_LIMITS, names))
                .replaceWithVoid();
    }
}
