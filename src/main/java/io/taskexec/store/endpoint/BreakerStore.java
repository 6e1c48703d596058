package io.taskexec.store.endpoint;

import static io.taskexec.store.sql.Columns.instant;
import static io.taskexec.store.sql.Columns.utc;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.Page;
import io.taskexec.model.Uuid7;
import io.taskexec.model.endpoint.Breaker;
import io.taskexec.model.endpoint.EndpointEvent;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The circuit breakers that all workers share, what is disabled, and what happened to endpoints. Each transition is a
 * compare-and-set.
 */
@Singleton
public final class BreakerStore {
    private final Database database;

    public BreakerStore(Database database) {
        this.database = database;
    }

    /**
     * A breaker that matters to deliveries.
     *
     * @param changedAt when it came into its state, by the clock of the database, so that each look tells the same
     * @param age time since then
     * @param untilRetry time until it may be probed; zero or less when it may, or is disabled
     */
    public record Active(String endpoint, Breaker.State state, Instant changedAt, Duration age, Duration untilRetry) {}

    private static final String ACTIVE = """
            SELECT endpoint, state, changed_at, (extract(epoch FROM now() - changed_at) * 1000)::bigint AS age_ms,
                   (extract(epoch FROM retry_at - now()) * 1000)::bigint AS retry_ms
            FROM breakers b
            WHERE (state <> 'CLOSED' OR changed_at > now() - $1::bigint * interval '1 millisecond')
              AND NOT EXISTS (SELECT 1 FROM disabled_endpoints d WHERE d.endpoint = b.endpoint)
            UNION ALL
            SELECT endpoint, 'DISABLED'::text, disabled_at,
                   (extract(epoch FROM now() - disabled_at) * 1000)::bigint, 0::bigint
            FROM disabled_endpoints
            """;

    /** The breakers that are not closed, or have not been for {@code slowStart}, and what is disabled. */
    public Uni<List<Active>> active(Duration slowStart) {
        return database.run(ACTIVE, Tuple.of(slowStart.toMillis()))
                .map(rows -> Columns.list(
                        rows,
                        row -> new Active(
                                row.getString("endpoint"),
                                Breaker.State.valueOf(row.getString("state")),
                                instant(row, "changed_at"),
                                Duration.ofMillis(row.getLong("age_ms")),
                                Duration.ofMillis(row.getLong("retry_ms")))));
    }

    /** A breaker that is not closed, or a disabled endpoint, as it is shown. */
    public record Listed(String endpoint, Breaker breaker) {}

    /**
     * Breakers that are not closed, and disabled endpoints.
     *
     * @param total all, also those that were not read
     */
    public record Unhealthy(List<Listed> breakers, long total) {}

    private static final String UNHEALTHY = """
            SELECT endpoint, state, changed_at, retry_at, reason, count(*) OVER () AS total
            FROM (
              SELECT endpoint, 'DISABLED'::text AS state, disabled_at AS changed_at, disabled_at AS retry_at, reason
              FROM disabled_endpoints
              UNION ALL
              SELECT endpoint, state, changed_at, retry_at, reason FROM breakers b
              WHERE state <> 'CLOSED'
                AND NOT EXISTS (SELECT 1 FROM disabled_endpoints d WHERE d.endpoint = b.endpoint)
            ) AS unhealthy
            ORDER BY CASE WHEN endpoint = ANY($1::text[]) THEN 0 ELSE 1 END, changed_at DESC, endpoint
            LIMIT $2::bigint
            """;

    /** Reads at most so many, those of certain endpoints first and then those that changed last. */
    public Uni<Unhealthy> unhealthy(Collection<String> first, int limit) {
        return database.run(
                        UNHEALTHY,
                        Tuple.tuple().addValue(first.toArray(String[]::new)).addLong((long) limit))
                .map(rows -> new Unhealthy(
                        Columns.list(rows, row -> new Listed(row.getString("endpoint"), read(row))),
                        rows.size() == 0 ? 0 : rows.iterator().next().getLong("total")));
    }

    // Of several workers that find out at the same time one opens it and writes so. A power of a large number would be
    // too large for its type.
    private static final String OPEN = """
            WITH opened AS (
              INSERT INTO breakers (endpoint, state, openings, changed_at, retry_at, reason)
              SELECT e.name, 'OPEN', 1, now(), now() + $2::bigint * interval '1 millisecond', $4::text
              FROM endpoints e WHERE e.name = $1::text FOR KEY SHARE
              ON CONFLICT (endpoint) DO UPDATE
              SET state = 'OPEN', changed_at = now(), reason = excluded.reason,
                  openings = CASE WHEN breakers.state = 'CLOSED' THEN 1 ELSE breakers.openings + 1 END,
                  retry_at = now() + interval '1 millisecond' * CASE WHEN breakers.state = 'CLOSED' THEN $2::bigint
                    ELSE least($2::bigint * power(2, least(breakers.openings, 20)), $3::bigint) END
              WHERE breakers.state <> 'OPEN'
              RETURNING endpoint, retry_at
            ), event AS (
              INSERT INTO endpoint_events (endpoint, event_id, kind, message, at)
              SELECT endpoint, $5::uuid, 'BREAKER_OPEN', $4::text, now() FROM opened
            )
            SELECT (extract(epoch FROM retry_at - now()) * 1000)::bigint AS retry_ms FROM opened
            """;

    /**
     * Opens a breaker. Returns for how long, or null when it was open or its endpoint is gone.
     *
     * @param first how long it opens when it was closed; each opening that follows at once lasts twice as long
     * @param longest how long it opens at most
     */
    public Uni<@Nullable Duration> open(String endpoint, Duration first, Duration longest, String reason) {
        return database.run(OPEN, Tuple.of(endpoint, first.toMillis(), longest.toMillis(), reason, Uuid7.next()))
                .map(rows -> Columns.first(rows, row -> Duration.ofMillis(row.getLong("retry_ms"))));
    }

    // When the answer to it was lost and it runs again, it finds its event, and so the right that it has taken.
    private static final String PROBE = """
            WITH probing AS (
              UPDATE breakers
              SET changed_at = CASE WHEN state = 'OPEN' THEN now() ELSE changed_at END, state = 'HALF_OPEN',
                  reason = 'a few deliveries are tried',
                  retry_at = now() + $2::bigint * interval '1 millisecond'
              WHERE endpoint = $1::text AND state <> 'CLOSED' AND retry_at <= now()
              RETURNING endpoint, reason, changed_at
            ), event AS (
              INSERT INTO endpoint_events (endpoint, event_id, kind, message, at)
              SELECT endpoint, $3::uuid, 'BREAKER_HALF_OPEN', reason, now() FROM probing
              ON CONFLICT (endpoint, event_id) DO NOTHING
            )
            SELECT changed_at FROM probing
            UNION ALL
            SELECT b.changed_at FROM breakers b
            WHERE b.endpoint = $1::text AND b.state = 'HALF_OPEN'
              AND EXISTS (SELECT 1 FROM endpoint_events e WHERE e.endpoint = b.endpoint AND e.event_id = $3::uuid)
            """;

    /**
     * Takes the right to probe; returns since when the breaker is half open, or null when it is not time or another
     * worker has the right.
     *
     * @param patience after which another worker may, in case that the prober dies
     */
    public Uni<@Nullable Instant> probe(String endpoint, Duration patience) {
        return database.run(PROBE, Tuple.of(endpoint, patience.toMillis(), Uuid7.next()))
                .map(rows -> Columns.first(rows, row -> instant(row, "changed_at")));
    }

    // The time is another one after each opening, also where it has closed in between and counts its openings anew.
    // When the answer was lost and it runs again, it finds its event.
    private static final String CLOSE = """
            WITH closed AS (
              UPDATE breakers
              SET state = 'CLOSED', changed_at = now(), reason = 'the deliveries that were tried succeeded'
              WHERE endpoint = $1::text AND state = 'HALF_OPEN' AND changed_at = $3::timestamptz
              RETURNING endpoint, reason
            ), event AS (
              INSERT INTO endpoint_events (endpoint, event_id, kind, message, at)
              SELECT endpoint, $2::uuid, 'BREAKER_CLOSED', reason, now() FROM closed
            )
            SELECT endpoint FROM closed
            UNION ALL
            SELECT endpoint FROM endpoint_events WHERE endpoint = $1::text AND event_id = $2::uuid
            """;

    /**
     * Closes a breaker that is half open; returns whether it was, and has not opened since the right to probe was
     * taken.
     *
     * @param since what {@link #probe} has returned
     */
    public Uni<Boolean> close(String endpoint, Instant since) {
        return database.run(CLOSE, Tuple.of(endpoint, Uuid7.next(), utc(since))).map(rows -> rows.rowCount() > 0);
    }

    // What was created for an older version says nothing of where the newest one leads. The lock waits for a new
    // version that is being registered, which enables the endpoint.
    private static final String DISABLE = """
            WITH disabled AS (
              INSERT INTO disabled_endpoints (endpoint, reason, disabled_at)
              SELECT e.name, $3::text, now() FROM endpoints e WHERE e.name = $1::text AND e.version = $2::int
              FOR SHARE
              ON CONFLICT (endpoint) DO NOTHING
              RETURNING endpoint
            ), event AS (
              INSERT INTO endpoint_events (endpoint, event_id, kind, message, at)
              SELECT endpoint, $4::uuid, 'DISABLED', $3::text, now() FROM disabled
            )
            SELECT endpoint FROM disabled
            """;

    /**
     * Disables an endpoint whose newest version is {@code version}; returns whether it was neither disabled nor gone.
     */
    public Uni<Boolean> disable(String endpoint, int version, String reason) {
        return database.run(DISABLE, Tuple.of(endpoint, version, reason, Uuid7.next()))
                .map(rows -> rows.rowCount() > 0);
    }

    static final String ENABLE = """
            WITH enabled AS (
              DELETE FROM disabled_endpoints WHERE endpoint = $1::text RETURNING endpoint
            ), event AS (
              INSERT INTO endpoint_events (endpoint, event_id, kind, message, at)
              SELECT endpoint, $2::uuid, 'ENABLED', $3::text, now() FROM enabled
            )
            SELECT endpoint FROM enabled
            """;

    /** Enables an endpoint again; returns whether it was disabled. */
    public Uni<Boolean> enable(String endpoint, String reason) {
        return database.run(ENABLE, Tuple.of(endpoint, Uuid7.next(), reason)).map(rows -> rows.rowCount() > 0);
    }

    private static final String FIND = """
            SELECT 'DISABLED'::text AS state, disabled_at AS changed_at, disabled_at AS retry_at, reason
            FROM disabled_endpoints WHERE endpoint = $1::text
            UNION ALL
            SELECT state, changed_at, retry_at, reason FROM breakers b
            WHERE endpoint = $1::text AND NOT EXISTS (SELECT 1 FROM disabled_endpoints d WHERE d.endpoint = b.endpoint)
            """;

    /** Returns null for an endpoint that is not disabled and whose breaker has never opened. */
    public Uni<@Nullable Breaker> find(String endpoint) {
        return database.run(FIND, Tuple.of(endpoint)).map(rows -> Columns.first(rows, BreakerStore::read));
    }

    private static Breaker read(Row row) {
        return new Breaker(
                Breaker.State.valueOf(row.getString("state")),
                instant(row, "changed_at"),
                instant(row, "retry_at"),
                row.getString("reason"));
    }

    private static final String EVENTS = """
            SELECT event_id, kind, message, at FROM endpoint_events
            WHERE endpoint = $1::text AND ($2::uuid IS NULL OR event_id < $2::uuid)
            ORDER BY event_id DESC
            LIMIT $3::bigint
            """;

    /** The events of an endpoint, newest first; {@code after} is the last event of the page before. */
    public Uni<Page<EndpointEvent, UUID>> events(String endpoint, int limit, @Nullable UUID after) {
        return database.run(EVENTS, Tuple.of(endpoint, after, limit + 1L)).map(rows -> {
            var found = Columns.list(rows, BreakerStore::readEvent);
            return found.size() > limit
                    ? new Page<>(found.subList(0, limit), found.get(limit - 1).id())
                    : new Page<>(found, null);
        });
    }

    private static EndpointEvent readEvent(Row row) {
        return new EndpointEvent(
                row.getUUID("event_id"),
                EndpointEvent.Kind.valueOf(row.getString("kind")),
                row.getString("message"),
                instant(row, "at"));
    }
}
