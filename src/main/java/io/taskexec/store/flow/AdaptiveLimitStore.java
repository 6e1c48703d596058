package io.taskexec.store.flow;

import static io.taskexec.store.sql.Columns.durationOrNull;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.Uuid7;
import io.taskexec.model.flow.AdaptiveLimit;
import io.taskexec.model.flow.FlowKey;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The limits of endpoints that workers find out from the answers of receivers. All workers share them; each change is a
 * compare-and-set.
 */
@Singleton
public final class AdaptiveLimitStore {
    private final Database database;
    private final FlowReleases releases;

    public AdaptiveLimitStore(Database database, FlowReleases releases) {
        this.database = database;
        this.releases = releases;
    }

    private static final String ALL = """
            SELECT p.endpoint, p.adaptive_limit, p.adaptive_ceiling, p.adaptive_changes,
              (extract(epoch FROM now() - p.adaptive_at) * 1000)::bigint AS changed_ms,
              (extract(epoch FROM now() - p.refused_at) * 1000)::bigint AS refused_ms,
              coalesce(f.open, 0) AS open, coalesce(f.lined, false) AS lined
            FROM flow_policies p LEFT JOIN flow_limits f ON f.flow_id = p.own_flow_id
            WHERE p.adaptive_limit IS NOT NULL
            """;

    /** The limits of all endpoints that have one. */
    public Uni<List<AdaptiveLimit>> all() {
        return database.run(ALL, Tuple.tuple()).map(rows -> Columns.list(rows, AdaptiveLimitStore::read));
    }

    private static AdaptiveLimit read(Row row) {
        return new AdaptiveLimit(
                row.getString("endpoint"),
                row.getInteger("adaptive_limit"),
                row.getInteger("adaptive_ceiling"),
                row.getInteger("adaptive_changes"),
                Duration.ofMillis(row.getLong("changed_ms")),
                durationOrNull(row, "refused_ms"),
                row.getInteger("open"),
                row.getBoolean("lined"));
    }

    private static final String FIND = """
            SELECT adaptive_limit FROM flow_policies WHERE endpoint = $1::text
            """;

    /** The limit of an endpoint; null for none. */
    public Uni<@Nullable Integer> find(String endpoint) {
        return database.run(FIND, Tuple.of(endpoint))
                .map(rows -> Columns.first(rows, row -> row.getInteger("adaptive_limit")));
    }

    // The lock waits for a new version that is being registered, which begins without such a limit. Where keys have
    // limits of their own, or the order is strict, there is none. Nor is there where receivers complete attempts later:
    // these keep their places long after the calls that tell how many a receiver takes.
    private static final String BEGIN = """
            WITH target AS MATERIALIZED (
              SELECT e.name FROM endpoints e
              JOIN endpoint_versions v ON v.name = e.name AND v.version = e.version
              WHERE e.name = $1::text AND (v.flow ->> 'key') IS NULL AND (v.flow ->> 'order') IS DISTINCT FROM 'fifo'
                AND v.completion IS NULL
              FOR SHARE OF e
            ), begun AS (
              INSERT INTO flow_policies AS p
                (endpoint, own_flow_id, adaptive_limit, adaptive_ceiling, adaptive_at, refused_at)
              SELECT name, $2::bigint, $3::int, $4::int, now(), CASE WHEN $4::int IS NOT NULL THEN now() END FROM target
              ON CONFLICT (endpoint) DO UPDATE
              SET adaptive_limit = excluded.adaptive_limit, adaptive_ceiling = excluded.adaptive_ceiling,
                  adaptive_changes = p.adaptive_changes + 1, adaptive_at = excluded.adaptive_at,
                  refused_at = excluded.refused_at
              WHERE NOT p.fifo AND (p.adaptive_limit IS NULL OR $4::int IS NULL)
              RETURNING endpoint
            ), event AS (
              INSERT INTO endpoint_events (endpoint, event_id, kind, message, at)
              SELECT endpoint, $5::uuid, 'LIMITED', $6::text, now() FROM begun
            )
            SELECT endpoint FROM begun
            """;

    /**
     * Begins to limit an endpoint; returns false when it is limited already, or cannot be.
     *
     * @param ceiling the concurrency at which its receiver refused; null when it has recovered, and gets more step by
     *     step: this replaces another limit
     */
    public Uni<Boolean> begin(String endpoint, int limit, @Nullable Integer ceiling, String reason) {
        var parameters = Tuple.of(endpoint, FlowKey.of(endpoint, "").id(), limit, ceiling, Uuid7.next(), reason);
        return database.run(BEGIN, parameters).map(rows -> rows.rowCount() > 0);
    }

    // Where there is more room its line is released, and noted in case that we die before it. The policy is locked
    // before the counters, as elsewhere.
    private static final String CHANGE = """
            WITH changed AS (
              UPDATE flow_policies
              SET adaptive_limit = $3::int, adaptive_ceiling = $4::int, adaptive_changes = adaptive_changes + 1,
                  adaptive_at = now(), refused_at = CASE WHEN $5::boolean THEN now() ELSE refused_at END
              WHERE endpoint = $1::text AND adaptive_changes = $2::int AND adaptive_limit IS NOT NULL
              RETURNING endpoint, own_flow_id
            ), line AS (
              UPDATE flow_limits f SET release_at = least(f.release_at, now())
              WHERE f.flow_id = ANY(ARRAY(SELECT own_flow_id FROM changed)) AND f.lined AND $6::boolean
            )
            SELECT endpoint FROM changed
            """;

    /**
     * Changes a limit; returns false when it is not any more what it was.
     *
     * @param refused whether the receiver has refused
     */
    public Uni<Boolean> change(AdaptiveLimit was, int limit, @Nullable Integer ceiling, boolean refused) {
        var isRaised = limit > was.limit();
        return database.run(CHANGE, Tuple.of(was.endpoint(), was.changes(), limit, ceiling, refused, isRaised))
                .map(rows -> rows.rowCount() > 0)
                .invoke(changed -> {
                    if (changed && isRaised && was.hasLine()) {
                        release(was);
                    }
                });
    }

    // Its line is released, and noted in case that we die before it.
    private static final String END = """
            WITH ended AS (
              UPDATE flow_policies
              SET adaptive_limit = NULL, adaptive_ceiling = NULL, adaptive_changes = adaptive_changes + 1,
                  adaptive_at = NULL, refused_at = NULL
              WHERE endpoint = $1::text AND adaptive_changes = $2::int AND adaptive_limit IS NOT NULL
              RETURNING endpoint, own_flow_id
            ), line AS (
              UPDATE flow_limits f SET release_at = least(f.release_at, now())
              WHERE f.flow_id = ANY(ARRAY(SELECT own_flow_id FROM ended)) AND f.lined
            ), event AS (
              INSERT INTO endpoint_events (endpoint, event_id, kind, message, at)
              SELECT endpoint, $3::uuid, 'UNLIMITED', $4::text, now() FROM ended
            )
            SELECT endpoint FROM ended
            """;

    // With it, callbacks and replays would have flow keys for nothing.
    private static final String DELETE_EMPTY = """
            DELETE FROM flow_policies
            WHERE endpoint = $1::text AND adaptive_limit IS NULL AND max_concurrency IS NULL AND rate_spacing_us IS NULL
              AND NOT fair
            """;

    /** Ends a limit; returns false when it is not any more what it was. */
    public Uni<Boolean> end(AdaptiveLimit was, String reason) {
        return database.withTransaction(transaction -> Database.on(
                                transaction, END, Tuple.of(was.endpoint(), was.changes(), Uuid7.next(), reason))
                        .chain(ended -> ended.rowCount() == 0
                                ? Uni.createFrom().item(false)
                                : Database.on(transaction, DELETE_EMPTY, Tuple.of(was.endpoint()))
                                        .replaceWith(true)))
                .invoke(ended -> {
                    if (ended) {
                        release(was);
                    }
                });
    }

    private void release(AdaptiveLimit of) {
        releases.request(List.of(FlowKey.of(of.endpoint(), "").id()));
    }
}
