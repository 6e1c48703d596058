package io.taskexec.store.execution;

import static io.taskexec.store.sql.Columns.instant;
import static io.taskexec.store.sql.Columns.jsonOrNull;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.TraceContext;
import io.taskexec.model.delivery.Claim;
import io.taskexec.store.sql.ClaimMetrics;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.EventedStatement;
import io.taskexec.store.sql.Fence;
import io.taskexec.store.sql.StoreMetrics;
import io.taskexec.store.sql.UnreadableException;
import io.taskexec.store.wakeup.DueSignal;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Claims due executions for a worker, and extends and returns its leases. */
@Singleton
public final class LeaseStore {
    /** How often an execution may lose its worker before it fails. */
    public static final int MAX_RESCUES = 3;

    /** The rescues of an execution that is not to be rescued: more than it can have, as many as the column can keep. */
    public static final int NOT_RESCUED = Short.MAX_VALUE;

    /** From the arrival of an answer to the moment when all threads see whose claims it brought. */
    private static final Duration LATENESS = Duration.ofSeconds(1);

    private final Database database;
    private final DueSignal dueSignal;
    private final StoreMetrics metrics;
    private final String claim;

    public LeaseStore(Database database, DueSignal dueSignal) {
        this.database = database;
        this.dueSignal = dueSignal;
        this.metrics = database.metrics();
        this.claim = database.form(metrics.areOn() ? CLAIM_MEASURED : CLAIM);
    }

    private static final String FAILS_WHEN_LOST = """
            (SELECT v.on_worker_lost = 'fail' FROM jobs j
                      JOIN endpoint_versions v
                        ON v.name = j.endpoint AND v.version = coalesce(live.endpoint_version, j.endpoint_version)
                      WHERE j.job_id = live.job_id)""";

    // The CTE is MATERIALIZED because a LIMIT in a subquery may be run once per outer row and so claim more than the
    // limit. The recheck of visible_at keeps the statement right where SKIP LOCKED is only a hint; IS TRUE keeps it
    // from being looked up in an index, by which all that is due would be read. A lease that was still set when the row
    // came up again means that its worker is gone: that attempt is recorded as LOST, and after too many of them no new
    // attempt is begun. A counter at its end stays there: one row that cannot be written would keep all that are
    // claimed with it from being claimed. Configs are looked for once, since to look for that of each row costs a sixth
    // of the claim, also where no endpoint has one.
    //
    // Of an execution that was lost, and of no other, is asked whether its endpoint wants it to fail then: it counts as
    // lost too often at once.
    //
    // An event is written of what was lost, before that of what begins, and none of an attempt that is not begun.
    private static final String CLAIM_CTES = """
            WITH due AS MATERIALIZED (
              SELECT execution_id, job_id, lease_token, attempt, started_at, worker_id, visible_at
              FROM exec_live
              WHERE lane = ANY($1::int[]) AND visible_at <= now()
              ORDER BY lane, visible_at
              LIMIT $2::bigint
              FOR UPDATE SKIP LOCKED
            ), claimed AS (
              UPDATE exec_live live
              SET visible_at = now() + $3::bigint * interval '1 millisecond', lease_token = $4::bigint,
                  worker_id = $5::uuid, started_at = now(),
                  rescues = CASE WHEN live.lease_token IS NULL THEN live.rescues
                    WHEN %1$s THEN 32767
                    ELSE least(live.rescues + 1, 32767) END,
                  attempt = CASE WHEN live.lease_token IS NULL THEN least(live.attempt + 1, 32767)
                    WHEN live.rescues >= $6::int OR %1$s THEN live.attempt
                    ELSE least(live.attempt + 1, 32767) END,
                  config_version = CASE WHEN live.config_version IS NULL AND EXISTS (SELECT 1 FROM configs) THEN (
                    SELECT f.version FROM jobs j
                    JOIN endpoint_versions v
                      ON v.name = j.endpoint AND v.version = coalesce(live.endpoint_version, j.endpoint_version)
                    JOIN configs f ON f.name = v.config_ref
                    WHERE j.job_id = live.job_id) ELSE live.config_version END
              WHERE live.execution_id = ANY(ARRAY(SELECT execution_id FROM due))
                AND (live.visible_at <= now()) IS TRUE
              RETURNING live.execution_id, live.job_id, live.attempt, live.failures, live.rescues, live.config_version,
                        live.run_at, live.endpoint_version AS replayed_version
            ), lost AS (
              INSERT INTO attempts (execution_id, attempt_number, status, worker_id, started_at, completed_at)
              SELECT execution_id, attempt, 'LOST', worker_id, started_at, now() FROM due WHERE lease_token IS NOT NULL
              ON CONFLICT (execution_id, attempt_number) DO NOTHING
            ), logs AS (
              INSERT INTO execution_logs (execution_id, log_id, attempt_number, level, message, logged_at)
              SELECT execution_id, gen_random_uuid(), attempt, 'WARN', 'lost: its worker died or lost its lease', now()
              FROM due WHERE lease_token IS NOT NULL
            )
            """.formatted(FAILS_WHEN_LOST);

    private static final String CLAIM_EVENTS = """
            (execution_id, job_id, kind, attempt)
              SELECT event.execution_id, event.job_id, event.kind, event.attempt FROM (
                SELECT execution_id, job_id, 'STARTED' AS kind, attempt FROM claimed WHERE rescues <= $6::int
                UNION ALL
                SELECT execution_id, job_id, 'LOST', attempt FROM due
                WHERE lease_token IS NOT NULL AND (execution_id IN (SELECT execution_id FROM claimed)) IS TRUE) AS event
              ORDER BY event.attempt
            """;

    private static final String CLAIMED = """
            SELECT claimed.*, j.endpoint, coalesce(claimed.replayed_version, j.endpoint_version) AS endpoint_version,
                   j.input::text AS input, j.trace, (SELECT value FROM epochs WHERE name = 'secrets') AS secret_epoch
            %sFROM claimed LEFT JOIN jobs j ON j.job_id = claimed.job_id
            """;

    public static final EventedStatement CLAIM = EventedStatement.of(CLAIM_CTES, CLAIM_EVENTS, CLAIMED.formatted(""));

    /** The same, which also tells what is measured of it. */
    public static final EventedStatement CLAIM_MEASURED =
            EventedStatement.of(CLAIM_CTES, CLAIM_EVENTS, CLAIMED.formatted(ClaimMetrics.COLUMNS));

    /** Claims at most {@code limit} due executions of these lanes, the first lanes first. */
    public Uni<List<Claim>> claim(Integer[] lanes, int limit, Duration lease, UUID workerId) {
        // Random and not a counter: a counter could repeat after a failover that lost the last commits.
        var token = ThreadLocalRandom.current().nextLong();
        var parameters = Tuple.tuple()
                .addValue(lanes)
                .addLong((long) limit)
                .addLong(lease.toMillis())
                .addLong(token)
                .addUUID(workerId)
                .addInteger(MAX_RESCUES);
        return database.run(claim, parameters).map(rows -> {
            if (metrics.areOn()) {
                metrics.claims().claimed(rows);
            }
            return Columns.list(rows, row -> readOrSayWhy(row, token));
        });
    }

    // Not more than a day, since there is no interval up to an infinite time.
    static final String NEXT_DUE = """
            SELECT ceil(
                     extract(epoch FROM min(least(next.visible_at, now() + interval '1 day')) - now()) * 1000
                   )::bigint AS delay_ms
            FROM unnest($1::int[]) AS wanted(lane),
              LATERAL (SELECT visible_at FROM exec_live WHERE lane = wanted.lane ORDER BY visible_at LIMIT 1) AS next
            """;

    /** How long until the next execution of these lanes becomes due, zero or less when one is; null when none waits. */
    public Uni<@Nullable Duration> untilNextDue(Integer[] lanes) {
        return database.run(NEXT_DUE, Tuple.tuple().addValue(lanes))
                .map(rows -> Columns.first(rows, row -> {
                    var delay = row.getLong("delay_ms");
                    return delay == null ? null : Duration.ofMillis(delay);
                }));
    }

    private static final String EXTEND = """
            UPDATE exec_live live
            SET visible_at = now() + $3::bigint * interval '1 millisecond'
            WHERE %s
            RETURNING live.execution_id
            """.formatted(Fence.HELD);

    /** Extends leases; returns the executions whose lease is still held, the others now belong to another worker. */
    public Uni<Set<UUID>> extend(Collection<Claim> held, Duration lease) {
        return database.run(EXTEND, Fence.parameters(held).addLong(lease.toMillis()))
                .map(rows -> Columns.list(rows, row -> row.getUUID("execution_id")).stream()
                        .collect(Collectors.toUnmodifiableSet()));
    }

    private static final String HAND_BACK = """
            UPDATE exec_live live
            SET visible_at = now() + $3::bigint * interval '1 millisecond', attempt = live.attempt - 1,
                lease_token = NULL, worker_id = NULL, started_at = NULL
            WHERE %s
            """.formatted(Fence.HELD);

    /** Hands back executions whose attempt was not begun, as if they had not been claimed; due after {@code delay}. */
    public Uni<Integer> handBack(Collection<Claim> unstarted, Duration delay) {
        return makeDue(HAND_BACK, Fence.parameters(unstarted).addLong(delay.toMillis()));
    }

    private Uni<Integer> makeDue(String statement, Tuple parameters) {
        return database.run(statement, parameters).invoke(dueSignal::raise).map(rows -> rows.rowCount());
    }

    /** Whether the answer to a claim may have been lost since. */
    public boolean hadOutageWithin(Duration time) {
        return database.hadOutageWithin(time);
    }

    private static final String SELECT_OLD = """
            SELECT execution_id, lease_token FROM exec_live
            WHERE worker_id = $1::uuid AND lease_token IS NOT NULL AND visible_at > now()
              AND started_at < now() - $2::bigint * interval '1 millisecond'
            """;

    // Fenced by the token, so that it does no harm when it comes late itself. The lease stays on the row, so that the
    // next claim counts an attempt as lost.
    private static final String FREE = """
            UPDATE exec_live live
            SET visible_at = now()
            WHERE %s AND (live.visible_at > now()) IS TRUE
            """.formatted(Fence.HELD);

    /**
     * Makes due what is claimed for a worker that does not run it, once the claim is so old that its answer would no
     * longer be waited for; returns how many executions those were. It reads all of {@code exec_live}.
     *
     * @param isKnown whether the worker runs it
     * @param wasCalled whether the worker has run it, so that its receiver may have got it; all else is handed back
     */
    public Uni<Integer> freeLost(UUID workerId, Predicate<UUID> isKnown, Predicate<UUID> wasCalled) {
        var old = database.patience().plus(LATENESS);
        return database.run(SELECT_OLD, Tuple.of(workerId, old.toMillis())).chain(rows -> {
            // In this order: what ends meanwhile is known, or was called.
            var lost = Columns.list(rows, row -> row).stream()
                    .filter(row -> !isKnown.test(row.getUUID("execution_id")))
                    .collect(Collectors.partitioningBy(row -> wasCalled.test(row.getUUID("execution_id"))));
            var called = Objects.requireNonNull(lost.get(true));
            var unsent = Objects.requireNonNull(lost.get(false));
            return free(FREE, fence(called), called.size())
                    .chain(freed -> free(HAND_BACK, fence(unsent).addLong(0L), unsent.size())
                            .map(handedBack -> freed + handedBack));
        });
    }

    private Uni<Integer> free(String statement, Tuple parameters, int count) {
        return count == 0 ? Uni.createFrom().item(0) : makeDue(statement, parameters);
    }

    private static Tuple fence(List<Row> rows) {
        return Tuple.tuple()
                .addValue(rows.stream().map(row -> row.getUUID("execution_id")).toArray(UUID[]::new))
                .addValue(rows.stream().map(row -> row.getLong("lease_token")).toArray(Long[]::new));
    }

    /**
     * A row that cannot be read must not take those along that were claimed with it: it becomes a claim that says why.
     */
    private static Claim readOrSayWhy(Row row, long token) {
        var endpoint = row.getString("endpoint");
        if (endpoint == null) {
            return claim(row, token, "", null, "Its job is gone.");
        }
        try {
            var input = UnreadableException.reading("The input of its job", () -> jsonOrNull(row, "input"));
            return claim(row, token, endpoint, input, null);
        } catch (UnreadableException e) {
            return claim(row, token, endpoint, null, e.getMessage());
        }
    }

    private static Claim claim(
            Row row, long token, String endpoint, @Nullable JsonNode input, @Nullable String unreadable) {
        var endpointVersion = row.getInteger("endpoint_version");
        var trace = row.getString("trace");
        return new Claim(
                row.getUUID("execution_id"),
                row.getUUID("job_id"),
                token,
                row.getInteger("attempt"),
                row.getInteger("failures"),
                row.getInteger("rescues"),
                endpoint,
                endpointVersion == null ? 0 : endpointVersion,
                row.getInteger("config_version"),
                row.getLong("secret_epoch"),
                input,
                instant(row, "run_at"),
                trace == null ? null : TraceContext.ofText(trace),
                unreadable);
    }
}
