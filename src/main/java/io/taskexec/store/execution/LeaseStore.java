package io.taskexec.store.execution;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.delivery.Claim;
import io.taskexec.store.flow.FlowPlaces;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.Fence;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.wakeup.DueSignal;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
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
    private final FlowReleases flowReleases;
    private final PlainClaims plainClaims;
    private final KeyedClaims keyedClaims;

    public LeaseStore(Database database, DueSignal dueSignal, FlowReleases flowReleases) {
        this.database = database;
        this.dueSignal = dueSignal;
        this.flowReleases = flowReleases;
        this.plainClaims = new PlainClaims(database, dueSignal);
        this.keyedClaims = new KeyedClaims(database, flowReleases);
    }

    /** Claims at most {@code limit} due executions of these lanes, the first lanes first; one claim after the other. */
    public Uni<List<Claim>> claim(Integer[] lanes, int limit, Duration lease, UUID workerId) {
        return plainClaims.claim(lanes, limit, lease, workerId);
    }

    /** The same, and looks at all of them, also at what an earlier claim of this process should have found. */
    Uni<List<Claim>> claimOfAll(Integer[] lanes, int limit, Duration lease, UUID workerId) {
        return plainClaims.claimOfAll(lanes, limit, lease, workerId);
    }

    /** Tells that an execution began in this process when it was created, and was not claimed. */
    public void beganAtOnce() {
        plainClaims.beganAtOnce();
    }

    /**
     * The answer to a claim of executions that have flow keys.
     *
     * @param seen executions that were looked at, of which the limits of their keys may have kept some from being
     *     claimed: with as many as were asked for there may be others behind them
     */
    public record KeyedAnswer(List<Claim> claims, int seen) {}

    /** Claims from lanes of executions that have flow keys, as far as the limits of the keys let it. */
    public Uni<KeyedAnswer> claimKeyed(Integer[] lanes, int limit, Duration lease, UUID workerId) {
        return keyedClaims.claim(lanes, limit, lease, workerId);
    }

    /**
     * How long until the next execution of these lanes becomes due, zero or less when one is, or until the next look;
     * null when the lanes are empty.
     */
    public Uni<@Nullable Duration> untilNextDue(Integer[] lanes) {
        return plainClaims.untilNextDue(lanes);
    }

    // Of what is due, as much as is asked for, and no more is read. Nothing is locked: the claim that follows takes the
    // rest.
    private static final String OVERDUE = """
            SELECT (SELECT count(*) FROM (
                      SELECT 1 FROM exec_live
                      WHERE lane = ANY($1::int[]) AND visible_at <= now() - $2::bigint * interval '1 millisecond'
                      LIMIT $3::bigint) AS waiting) AS overdue,
              ARRAY(SELECT execution_id FROM exec_live WHERE execution_id = ANY($4::uuid[]) AND %s > 0) AS less_urgent
            """.formatted(Lanes.priorityOf("lane"));

    /**
     * Work that has been due for a while and was claimed by no process.
     *
     * @param count at most as many as were asked for
     * @param lessUrgent those of the given executions that have not the highest priority
     */
    public record Overdue(int count, Set<UUID> lessUrgent) {}

    /**
     * Looks for executions of these lanes that have been due for so long.
     *
     * @param most how many are counted
     * @param running executions of which is told whether they are less urgent
     */
    public Uni<Overdue> overdue(Integer[] lanes, Duration since, int most, Collection<UUID> running) {
        var parameters = Tuple.tuple()
                .addValue(lanes)
                .addLong(since.toMillis())
                .addLong((long) most)
                .addValue(running.toArray(UUID[]::new));
        return database.run(database.keepingPlan(OVERDUE), parameters).map(rows -> {
            var row = rows.iterator().next();
            return new Overdue(Math.toIntExact(row.getLong("overdue")), Set.of(row.getArrayOfUUIDs("less_urgent")));
        });
    }

    private static final String EXTEND = """
            UPDATE exec_live live
            SET visible_at = now() + $3::bigint * interval '1 millisecond'
            WHERE %s
            RETURNING live.execution_id
            """.formatted(Fence.HELD);

    /** Extends leases; returns the executions whose lease is still held, the others now belong to another worker. */
    public Uni<Set<UUID>> extend(Collection<Claim> held, Duration lease) {
        return database.run(database.keepingPlan(EXTEND), Fence.parameters(held).addLong(lease.toMillis()))
                .map(rows -> Columns.ids(rows, "execution_id"));
    }

    /** Whether a claim began no attempt: what is deferred is looked after, and what has no rescues left is to fail. */
    private static final String BEGAN_NO_ATTEMPT = "live.deferred OR live.rescues > " + MAX_RESCUES;

    /** Takes back the attempt that a claim began, if it did. */
    static final String NOT_BEGUN = """
            attempt = live.attempt - CASE WHEN %1$s THEN 0 ELSE 1 END,
                started_at = CASE WHEN %1$s THEN live.started_at END""".formatted(BEGAN_NO_ATTEMPT);

    private static final String HAND_BACK = """
            UPDATE exec_live live
            SET visible_at = now() + $3::bigint * interval '1 millisecond', lease_token = NULL, worker_id = NULL,
                %s
            WHERE %s
            """.formatted(NOT_BEGUN, Fence.HELD);

    private static final String HAND_BACK_KEYED = """
            WITH handed_back AS (
              UPDATE exec_live live
              SET visible_at = now() + $3::bigint * interval '1 millisecond', lease_token = NULL, worker_id = NULL,
                  %s, flow_state = %s
              WHERE %s
              RETURNING live.execution_id, live.flow_id, live.flow_state
            )%s
            SELECT execution_id%s FROM handed_back
            """.formatted(
                    NOT_BEGUN,
                    FlowPlaces.UNBEGUN_STATE,
                    Fence.HELD,
                    FlowPlaces.ofChanged("handed_back").strip(),
                    FlowPlaces.WAITING);

    /** Hands back executions whose attempt was not begun, as if they had not been claimed; due after {@code delay}. */
    public Uni<Integer> handBack(Collection<Claim> unstarted, Duration delay) {
        var parameters = Fence.parameters(unstarted).addLong(delay.toMillis());
        return unstarted.stream().allMatch(claim -> claim.flowId() == null)
                ? makeDue(database.keepingPlan(HAND_BACK), parameters)
                : handBackKeyed(parameters);
    }

    private Uni<Integer> handBackKeyed(Tuple parameters) {
        return database.run(HAND_BACK_KEYED, parameters)
                .invoke(flowReleases::after)
                .invoke(dueSignal::raise)
                .map(RowSet::rowCount);
    }

    private static final String HOME = Lanes.firstOfQueue("""
            (SELECT v.queue_id FROM jobs j
                  JOIN endpoint_versions v
                    ON v.name = j.endpoint AND v.version = coalesce(live.endpoint_version, j.endpoint_version)
                  WHERE j.job_id = live.job_id)""") + " + " + Lanes.withinQueue("live.lane");

    private static final String MOVE = """
            WITH moved AS (
              UPDATE exec_live live
              SET visible_at = now(), lease_token = NULL, worker_id = NULL, %s, flow_state = %s, lane = %s
              WHERE %s
              RETURNING live.execution_id, live.flow_id, live.flow_state
            )%s
            SELECT execution_id%s FROM moved
            """.formatted(
                    NOT_BEGUN,
                    FlowPlaces.UNBEGUN_STATE,
                    Lanes.withKey(HOME, "live.flow_id"),
                    Fence.HELD,
                    FlowPlaces.ofChanged("moved").strip(),
                    FlowPlaces.WAITING);

    /**
     * Hands an execution back to the queue of its endpoint. That of a WORKER endpoint is elsewhere while it is
     * deferred, and when the endpoint was of another type.
     */
    public Uni<Void> moveHome(Claim claim) {
        return database.run(MOVE, Fence.parameters(List.of(claim)))
                .invoke(flowReleases::after)
                .invoke(dueSignal::raise)
                .replaceWithVoid();
    }

    private Uni<Integer> makeDue(String statement, Tuple parameters) {
        return database.run(statement, parameters).invoke(dueSignal::raise).map(rows -> rows.rowCount());
    }

    /** When the answer to a claim may last have been lost, by {@link System#nanoTime}; null when none has been. */
    public @Nullable Long answerLostAt() {
        return database.answerLostAt();
    }

    /**
     * The age from which a claim that its worker does not know is lost: its answer is no longer waited for, nor are the
     * two statements that may follow it.
     */
    public Duration untilLost() {
        return database.patience().plus(FlowReleases.FOLLOW_UP.multipliedBy(2)).plus(LATENESS);
    }

    private static final String SELECT_OLD = """
            SELECT execution_id, lease_token FROM exec_live
            WHERE worker_id = $1::uuid AND lease_token IS NOT NULL AND visible_at > now() AND NOT deferred
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
        return database.run(SELECT_OLD, Tuple.of(workerId, untilLost().toMillis()))
                .chain(rows -> {
                    // In this order: what ends meanwhile is known, or was called.
                    var lost = Columns.list(rows, row -> row).stream()
                            .filter(row -> !isKnown.test(row.getUUID("execution_id")))
                            .collect(Collectors.partitioningBy(row -> wasCalled.test(row.getUUID("execution_id"))));
                    var called = Objects.requireNonNull(lost.get(true));
                    var unsent = Objects.requireNonNull(lost.get(false));
                    return free(FREE, fence(called), called.size())
                            .chain(freed -> handBack(fence(unsent).addLong(0L), unsent.size())
                                    .map(handedBack -> freed + handedBack));
                });
    }

    /** Some of them may hold places of flow keys. */
    private Uni<Integer> handBack(Tuple parameters, int count) {
        return count == 0 ? Uni.createFrom().item(0) : handBackKeyed(parameters);
    }

    private Uni<Integer> free(String statement, Tuple parameters, int count) {
        return count == 0 ? Uni.createFrom().item(0) : makeDue(statement, parameters);
    }

    private static Tuple fence(List<Row> rows) {
        return Tuple.tuple()
                .addValue(rows.stream().map(row -> row.getUUID("execution_id")).toArray(UUID[]::new))
                .addValue(rows.stream().map(row -> row.getLong("lease_token")).toArray(Long[]::new));
    }
}
