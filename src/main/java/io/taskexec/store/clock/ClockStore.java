package io.taskexec.store.clock;

import static io.taskexec.store.sql.Columns.instantOrNull;
import static io.taskexec.store.sql.Columns.utc;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.dependency.DependencyStatement;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.Lanes;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The virtual clock of a PostgreSQL whose connections have {@link #SEARCH_PATH}: functions that are found before those
 * of the database, and add to its clock what one row says.
 */
@Singleton
public final class ClockStore {
    /** Has the functions of the virtual clock found first, and new tables made in the usual schema. */
    public static final String SEARCH_PATH = "public, virtual_clock, pg_catalog";

    private static final String FUNCTIONS = "/db/clock/virtual-clock.sql";

    private final Database database;

    public ClockStore(Database database) {
        this.database = database;
    }

    private static final String IS_THERE =
            "SELECT pg_catalog.to_regclass('virtual_clock.state') IS NOT NULL AS is_there";

    private static final String AHEAD = "SELECT ahead_us FROM virtual_clock.state";

    /** How far the clock is ahead; zero in a database that has no virtual clock. */
    public Uni<Duration> ahead() {
        return database.run(IS_THERE, Tuple.tuple())
                .chain(rows -> rows.iterator().next().getBoolean("is_there")
                        ? database.run(AHEAD, Tuple.tuple()).map(ClockStore::readAhead)
                        : Uni.createFrom().item(Duration.ZERO));
    }

    /** Makes the functions; returns how far the clock is ahead. */
    public Uni<Duration> prepare() {
        var functions = functions();
        return database.withTransaction(
                        transaction -> transaction.query(functions).execute().replaceWithVoid())
                .chain(this::ahead);
    }

    private static String functions() {
        try (var resource = ClockStore.class.getResourceAsStream(FUNCTIONS)) {
            return new String(Objects.requireNonNull(resource, FUNCTIONS).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final String MOVE_TO = "SELECT virtual_clock.move_to($1::timestamptz) AS ahead_us";

    /** Moves the clock ahead to a time, unless it is past that; returns how far it is ahead then. */
    public Uni<Duration> moveTo(Instant goal) {
        return database.run(MOVE_TO, Tuple.of(utc(goal))).map(ClockStore::readAhead);
    }

    private static Duration readAhead(RowSet<Row> rows) {
        return Duration.of(rows.iterator().next().getLong("ahead_us"), ChronoUnit.MICROS);
    }

    /** Kinds of work that become due. */
    public enum Kind {
        EXECUTION,
        TICK,
        OTHER
    }

    /**
     * The work that is due.
     *
     * @param isDue whether something is due now that can begin
     * @param next when the next work of each kind becomes due; a kind of which none waits is absent
     */
    public record Due(boolean isDue, Map<Kind, Instant> next) {
        /** The kinds of work that are due at a time. */
        public Set<Kind> at(Instant time) {
            return next.entrySet().stream()
                    .filter(kind -> !kind.getValue().isAfter(time))
                    .map(Map.Entry::getKey)
                    .collect(Collectors.toSet());
        }
    }

    // What pull workers are to ask for may wait for ever. What a paused queue holds back is not due, nor is what has no
    // token of its queue yet. A buffered tick waits for executions, and is due as soon as none is left.
    private static final String DUE =
            """
            WITH RECURSIVE %1$s, running AS MATERIALIZED (
              SELECT lanes.lane, lanes.visible_at, q.pulled,
                CASE WHEN q.rate_limit IS NOT NULL THEN l.tat - (q.rate_burst - 1)
                  * (q.rate_per_ms::float8 / q.rate_limit::float8) * interval '1 millisecond' END AS token_at
              FROM lanes JOIN queues q ON q.queue_id = %2$s LEFT JOIN queue_limits l ON l.queue_id = q.queue_id
              WHERE q.deleted_at IS NULL AND NOT %3$s
            )
            SELECT EXISTS (
                  SELECT 1 FROM running WHERE visible_at <= now() AND coalesce(token_at <= now(), true) AND NOT pulled)
                OR EXISTS (SELECT 1 FROM schedules WHERE next_run_at <= now())
                OR EXISTS (SELECT 1 FROM schedules s WHERE s.buffered_tick IS NOT NULL AND NOT EXISTS (
                  SELECT 1 FROM schedules o JOIN exec_live x ON x.job_id = o.job_id AND x.execution_id <> x.job_id
                  WHERE o.root_id = s.root_id))
                OR EXISTS (SELECT 1 FROM ended_parents)
                OR EXISTS (SELECT 1 FROM operations WHERE status = 'RUNNING' AND next_at <= now())
                OR (EXISTS (SELECT 1 FROM exec_live WHERE lane < 0)
                  AND EXISTS (SELECT 1 FROM flow_limits WHERE release_at <= now())) AS is_due,
              (SELECT min(following.visible_at) FROM running, LATERAL (
                 SELECT visible_at FROM exec_live
                 WHERE lane = running.lane AND visible_at > now() AND visible_at < %4$s AND lease_token IS NULL
                 ORDER BY visible_at LIMIT 1) AS following) AS execution,
              (SELECT min(next_run_at) FROM schedules WHERE next_run_at > now()) AS tick,
              least(
                (SELECT min(token_at) FROM running WHERE visible_at <= now() AND token_at > now()),
                (SELECT min(expires_at) FROM exec_live WHERE expires_at > now()),
                (SELECT min(next_at) FROM operations WHERE status = 'RUNNING' AND next_at > now()),
                (SELECT min(release_at) FROM flow_limits WHERE release_at > now()),
                (SELECT min(paused_until) FROM queues WHERE paused_until > now())) AS other
            """.formatted(Lanes.OCCUPIED, Lanes.queue("lanes.lane"), Lanes.IS_PAUSED, DependencyStatement.WAITING_TIME);

    /** Reads whether something is due, and what comes next. */
    public Uni<Due> due() {
        return database.run(DUE, Tuple.tuple())
                .map(rows -> rows.iterator().next())
                .map(row -> new Due(row.getBoolean("is_due"), next(row)));
    }

    private static Map<Kind, Instant> next(Row row) {
        var next = new EnumMap<Kind, Instant>(Kind.class);
        for (var kind : Kind.values()) {
            var time = instantOrNull(row, kind.name().toLowerCase(Locale.ROOT));
            if (time != null) {
                next.put(kind, time);
            }
        }
        return next;
    }
}
