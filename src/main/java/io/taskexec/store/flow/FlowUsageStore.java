package io.taskexec.store.flow;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tells how far the limits of flow keys are used, by a bounded look at the counters and at the lines. */
@Singleton
public final class FlowUsageStore {
    /** Counters that are looked at: those of keys that are idle are removed. */
    static final int MOST_KEYS = 20_000;

    /** Parked executions that are counted, with equal parts for all lines. */
    static final int MOST_PARKED = 10_000;

    /** Endpoints that are told one by one. */
    public static final int MOST_ENDPOINTS = 200;

    private final Database database;

    public FlowUsageStore(Database database) {
        this.database = database;
    }

    /**
     * The flow keys of an endpoint; the numbers are at least these.
     *
     * @param open executions that hold a place
     * @param lines keys in whose line executions are parked
     * @param parked executions that are parked
     * @param oldestAge for how many seconds the one of them has been due that has been for longest, 0 when none is
     * @param tokens executions that may begin at once by the rate of the endpoint's own key; null without such a rate,
     *     and while that key is idle
     * @param adaptiveLimit how many of them may run at once because the receiver has refused more; null without
     */
    public record OfEndpoint(
            String endpoint,
            long open,
            long lines,
            long parked,
            double oldestAge,
            @Nullable Long tokens,
            @Nullable Integer adaptiveLimit) {}

    /**
     * The flow keys of all endpoints.
     *
     * @param endpoints those with the most parked executions and the most places taken first
     * @param open of all endpoints
     * @param lines of all endpoints
     * @param isPart whether there are more keys or more parked executions than were looked at
     */
    public record Usage(List<OfEndpoint> endpoints, long open, long lines, boolean isPart) {
        public static final Usage NONE = new Usage(List.of(), 0, 0, false);
    }

    // Nothing is locked. At most so many counters are read, in no order, and at most so many entries of the index of
    // lines, each line from its head on. The age in a line is that of the heads, at most a year.
    static final String USAGE = """
            WITH keys AS MATERIALIZED (
              SELECT flow_id, endpoint, open, lined FROM flow_limits LIMIT $1::bigint
            ), lines AS MATERIALIZED (
              SELECT flow_id, endpoint, greatest(1, floor($2::float8 / total.n::float8)::bigint) AS share
              FROM keys, LATERAL (SELECT count(*) AS n FROM keys WHERE lined) AS total
              WHERE lined
            ), parked AS MATERIALIZED (
              SELECT lines.endpoint, count(head.run_at) AS parked,
                max(now() - greatest(head.run_at, now() - interval '8760 hours')) AS age
              FROM lines, LATERAL (
                SELECT run_at FROM exec_live
                WHERE flow_id = lines.flow_id AND flow_state = 1
                ORDER BY flow_line, run_at, execution_id
                LIMIT lines.share) AS head
              GROUP BY lines.endpoint
            ), endpoints AS MATERIALIZED (
              SELECT endpoint, sum(open)::bigint AS open, (count(*) FILTER (WHERE lined))::bigint AS lines
              FROM keys GROUP BY endpoint
            ), busiest AS (
              SELECT e.endpoint, e.open, e.lines, coalesce(p.parked, 0) AS parked,
                coalesce(greatest(extract(epoch FROM p.age), 0), 0)::float8 AS age,
                (sum(e.open) OVER ())::bigint AS all_open, (sum(e.lines) OVER ())::bigint AS all_lines,
                (coalesce(sum(p.parked) OVER (), 0))::bigint AS all_parked
              FROM endpoints e LEFT JOIN parked p ON p.endpoint = e.endpoint
              ORDER BY coalesce(p.parked, 0) DESC, e.open DESC, e.endpoint
              LIMIT $3::bigint
            )
            SELECT b.endpoint, b.open, b.lines, b.parked, b.age, b.all_open, b.all_lines,
              b.all_parked >= $2::bigint OR (SELECT count(*) FROM keys) >= $1::bigint AS is_part,
              CASE WHEN own.tat IS NOT NULL THEN floor(greatest(policy.rate_burst
                - greatest(extract(epoch FROM own.tat - now()), 0)::float8 / policy.rate_spacing_us::float8 * 1000000,
                0))::bigint END AS tokens, policy.adaptive_limit
            FROM busiest b
            LEFT JOIN flow_policies policy ON policy.endpoint = b.endpoint
            LEFT JOIN flow_limits own ON own.flow_id = policy.own_flow_id AND policy.rate_spacing_us IS NOT NULL
            ORDER BY b.parked DESC, b.open DESC, b.endpoint
            """;

    /** Reads how far the limits are used now. */
    public Uni<Usage> usage() {
        return usage(MOST_KEYS, MOST_PARKED);
    }

    Uni<Usage> usage(int mostKeys, int mostParked) {
        return database.run(USAGE, Tuple.of((long) mostKeys, (long) mostParked, (long) MOST_ENDPOINTS))
                .map(rows -> {
                    var first = Columns.first(rows, row -> row);
                    return first == null
                            ? Usage.NONE
                            : new Usage(
                                    Columns.list(rows, FlowUsageStore::read),
                                    first.getLong("all_open"),
                                    first.getLong("all_lines"),
                                    first.getBoolean("is_part"));
                });
    }

    private static OfEndpoint read(Row row) {
        return new OfEndpoint(
                row.getString("endpoint"),
                row.getLong("open"),
                row.getLong("lines"),
                row.getLong("parked"),
                row.getDouble("age"),
                row.getLong("tokens"),
                row.getInteger("adaptive_limit"));
    }
}
