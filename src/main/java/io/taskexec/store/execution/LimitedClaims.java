package io.taskexec.store.execution;

import static io.taskexec.store.sql.Columns.durationOrNull;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.delivery.Claim;
import io.taskexec.store.execution.SharedClaims.Answer;
import io.taskexec.store.execution.SharedClaims.Claimant;
import io.taskexec.store.execution.SharedClaims.Request;
import io.taskexec.store.execution.SharedClaims.Share;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.Lanes;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Claims from queues that have limits, of each lane group its share, as far as the limits let it. One transaction at a
 * time claims from such a queue, so nothing begins that it has not counted. To look after what is deferred begins
 * nothing, so it needs no room.
 */
@Singleton
public final class LimitedClaims {
    private final Database database;
    private final SharedClaims claims;
    private final String claimDeferred;

    /** Changes with each claim, so that no group of a queue always comes first. */
    private int turns;

    public LimitedClaims(Database database, SharedClaims claims) {
        this.database = database;
        this.claims = claims;
        this.claimDeferred = database.form(ClaimStatement.DEFERRED);
    }

    /**
     * The result of a claim.
     *
     * @param granted the shares as far as the limits left room for them
     * @param full the queues of which nothing more may begin, each with the time after which it is worth another look
     */
    public record Grant(List<Share> granted, Answer answer, Map<Integer, QueueRoom.Wait> full) {
        static Grant nothing(Map<Integer, QueueRoom.Wait> full) {
            return new Grant(List.of(), new Answer(List.of(), Map.of(), Map.of()), full);
        }
    }

    /** A claim and its answer, which is read when that is committed. */
    private record Claimed(Request request, RowSet<Row> rows) {}

    /** The results of a transaction. */
    private record Done(List<Share> granted, List<Claimed> claimed, Map<Integer, QueueRoom.Wait> full) {}

    /**
     * Claims executions, which then count for the limits of their queues until they have ended or wait again.
     *
     * @param slots of this worker: after a pause a queue gets all that the workers have step by step
     */
    public Uni<Grant> claim(List<Share> shares, int slots, Claimant claimant) {
        turns++;
        return database.withTransaction(transaction -> claim(transaction, shares, slots, claimant))
                .chain(this::answered);
    }

    private Uni<Done> claim(SqlConnection transaction, List<Share> shares, int slots, Claimant claimant) {
        return rooms(transaction, shares, slots).chain(rooms -> {
            var granted = granted(shares, rooms);
            return claim(transaction, granted, claimant)
                    .call(claimed -> spend(transaction, rooms, begunByQueue(claimed)))
                    .map(claimed -> new Done(granted, claimed, full(rooms, begunByQueue(claimed))));
        });
    }

    // The rows of limits come before those of executions, which are skipped when they are locked, and those before the
    // limits of flow keys. Who has locked one of the latter never waits for a row of queue_limits.
    private static final String LOCK = """
            SELECT queue_id, marks_from <= now() AS is_to_mark FROM queue_limits
            WHERE queue_id = ANY($1::int[])
            ORDER BY queue_id
            FOR UPDATE
            """;

    // A statement after the lock: its snapshot has all that was claimed by those it waited for. A lease that has run
    // out does not count, so that what its worker left can be claimed again.
    private static final String ROOM =
            """
            WITH limits AS MATERIALIZED (
              SELECT q.queue_id, q.max_concurrency, q.rate_limit, q.rate_per_ms, q.rate_burst,
                extract(epoch FROM greatest(l.tat, now()) - now()) * 1000000 AS ahead_us,
                ceil(extract(epoch FROM l.marks_from - now()) * 1000) AS marks_in_ms,
                extract(epoch FROM now() - %4$s) * 1000 AS resumed_ms
              FROM queues q JOIN queue_limits l ON l.queue_id = q.queue_id
              WHERE q.queue_id = ANY($1::int[])
            )
            SELECT limits.queue_id, limits.max_concurrency, limits.rate_limit, limits.rate_per_ms, limits.rate_burst,
              limits.ahead_us::bigint AS ahead_us, limits.marks_in_ms::bigint AS marks_in_ms,
              limits.resumed_ms::bigint AS resumed_ms,
              (SELECT count(*) FROM workers)::int AS workers,
              (SELECT count(*) FROM exec_live x
               WHERE x.holds_queue AND x.lease_token IS NOT NULL AND x.visible_at > now()
                 AND x.lane >= %1$s AND x.lane < %1$s + %2$d)::int
              + (SELECT count(*) FROM exec_live x
               WHERE x.holds_queue AND x.lease_token IS NOT NULL AND x.visible_at > now()
                 AND x.lane >= %1$s - %3$d AND x.lane < %1$s + %2$d - %3$d)::int AS running
            FROM limits
            """.formatted(Lanes.firstOfQueue("limits.queue_id"), Lanes.PER_QUEUE, Lanes.KEYED, QueueRoom.RESUMED_AT);

    /** The room that each queue has; a queue without limits by now has none, and is looked up again soon. */
    private static Uni<Map<Integer, QueueRoom>> rooms(SqlConnection transaction, List<Share> shares, int slots) {
        var queues = shares.stream()
                .map(share -> Lanes.queueId(share.line()))
                .distinct()
                .toArray(Integer[]::new);
        var parameters = Tuple.tuple().addValue(queues);
        return Database.on(transaction, LOCK, parameters)
                .chain(locked -> mark(
                        transaction,
                        Columns.list(locked, row -> row).stream()
                                .filter(row -> Boolean.TRUE.equals(row.getBoolean("is_to_mark")))
                                .map(row -> row.getInteger("queue_id"))
                                .toList()))
                .chain(() -> Database.on(transaction, ROOM, parameters))
                .map(rows -> Columns.list(rows, row -> QueueRoom.read(row, slots)).stream()
                        .collect(Collectors.toMap(QueueRoom::queueId, Function.identity(), (a, _) -> a, TreeMap::new)));
    }

    // Waits for those who end an execution or extend its lease: they never wait for a row of queue_limits.
    private static final String MARK = """
            UPDATE exec_live SET holds_queue = true
            WHERE execution_id = ANY(ARRAY(
              SELECT execution_id FROM exec_live
              WHERE %s = ANY($1::int[]) AND lease_token IS NOT NULL AND NOT holds_queue AND NOT deferred
              ORDER BY execution_id
              FOR UPDATE))
            """.formatted(Lanes.queue("lane"));

    private static final String MARKED = "UPDATE queue_limits SET marks_from = NULL WHERE queue_id = ANY($1::int[])";

    /** Counts what runs of queues that had no limits until a moment ago; reads all of {@code exec_live}. */
    private static Uni<Void> mark(SqlConnection transaction, List<Integer> queues) {
        if (queues.isEmpty()) {
            return Uni.createFrom().voidItem();
        }
        var parameters = Tuple.tuple().addValue(queues.toArray(Integer[]::new));
        return Database.on(transaction, MARK, parameters)
                .chain(() -> Database.on(transaction, MARKED, parameters))
                .replaceWithVoid();
    }

    private List<Share> granted(List<Share> shares, Map<Integer, QueueRoom> rooms) {
        var left = new HashMap<Integer, Integer>();
        rooms.forEach((queue, room) -> left.put(queue, room.most()));
        var granted = new ArrayList<Share>();
        for (var i = 0; i < shares.size(); i++) {
            var share = shares.get(Math.floorMod(turns + i, shares.size()));
            var queue = Lanes.queueId(share.line());
            var most = Math.min(share.limit(), left.getOrDefault(queue, 0));
            if (most > 0) {
                left.merge(queue, -most, Integer::sum);
                granted.add(share.limitedTo(most));
            }
        }
        return granted;
    }

    private Uni<List<Claimed>> claim(SqlConnection transaction, List<Share> granted, Claimant claimant) {
        var byKind = granted.stream().collect(Collectors.partitioningBy(share -> Lanes.isKeyed(share.line())));
        var claimed = new ArrayList<Claimed>();
        var all = Uni.createFrom().voidItem();
        for (var some : byKind.values()) {
            if (!some.isEmpty()) {
                var request = new Request(some, claimant, true);
                all = all.chain(() -> claims.claim(transaction, request))
                        .invoke(rows -> claimed.add(new Claimed(request, rows)))
                        .replaceWithVoid();
            }
        }
        return all.replaceWith(claimed);
    }

    private static Map<Integer, Integer> begunByQueue(Collection<Claimed> claimed) {
        var counts = new HashMap<Integer, Integer>();
        claimed.forEach(one -> SharedClaims.attemptsByLine(one.rows())
                .forEach((line, count) -> counts.merge(Lanes.queueId(line), count, Integer::sum)));
        return counts;
    }

    private static final String SPEND = """
            UPDATE queue_limits
            SET tat = greatest(tat, now())
              + ($2::bigint[])[array_position($1::int[], queue_id)] * interval '1 microsecond'
            WHERE queue_id = ANY($1::int[])
            """;

    private static Uni<Void> spend(
            SqlConnection transaction, Map<Integer, QueueRoom> rooms, Map<Integer, Integer> taken) {
        var spent = new TreeMap<Integer, Long>();
        taken.forEach((queue, count) -> {
            var room = rooms.get(queue);
            if (room != null && room.rate() != null) {
                spent.put(queue, count * room.rate().spacingMicros());
            }
        });
        return spent.isEmpty()
                ? Uni.createFrom().voidItem()
                : Database.on(
                                transaction,
                                SPEND,
                                Tuple.tuple()
                                        .addValue(spent.keySet().toArray(Integer[]::new))
                                        .addValue(spent.values().toArray(Long[]::new)))
                        .replaceWithVoid();
    }

    private static Map<Integer, QueueRoom.Wait> full(Map<Integer, QueueRoom> rooms, Map<Integer, Integer> taken) {
        var full = new HashMap<Integer, QueueRoom.Wait>();
        rooms.forEach((queue, room) -> {
            var wait = room.waitAfter(taken.getOrDefault(queue, 0));
            if (wait != null) {
                full.put(queue, wait);
            }
        });
        return full;
    }

    private Uni<Grant> answered(Done done) {
        if (done.claimed().isEmpty()) {
            return Uni.createFrom().item(Grant.nothing(done.full()));
        }
        return Uni.join()
                .all(done.claimed().stream()
                        .map(one -> claims.answered(one.request(), one.rows()))
                        .toList())
                .andFailFast()
                .map(answers -> new Grant(done.granted(), sum(answers), done.full()));
    }

    /**
     * The deferred executions of queues.
     *
     * @param claims those that were due
     * @param untilNext how long it was before the claim until the first of all became due, zero or less when one was;
     *     null when none waits
     */
    public record Deferred(List<Claim> claims, @Nullable Duration untilNext) {}

    // Not more than a day, since there is no interval up to an infinite time.
    static final String NEXT_DEFERRED = """
            SELECT ceil(extract(epoch FROM min(least(visible_at, now() + interval '1 day')) - now()) * 1000)::bigint
              AS delay_ms
            FROM exec_live
            WHERE %s
            """.formatted(ClaimStatement.deferredOf("$1", "$2", "$3"));

    /**
     * Claims what is deferred and due in full queues. No row of limits is locked: what is claimed counts for none. Of a
     * queue that was paused shortly before nothing is claimed.
     */
    public Uni<Deferred> claimDeferred(
            Collection<Integer> queues, Collection<Integer> regions, int most, Claimant claimant) {
        var parameters = Tuple.tuple()
                .addValue(queues.toArray(Integer[]::new))
                .addValue(regions.toArray(Integer[]::new))
                .addInteger(claimant.leastUrgent());
        return database.run(database.keepingPlan(NEXT_DEFERRED), parameters)
                .map(rows ->
                        new Deferred(List.of(), durationOrNull(rows.iterator().next(), "delay_ms")))
                .chain(next -> next.untilNext() == null || next.untilNext().isPositive()
                        ? Uni.createFrom().item(next)
                        : claimDue(queues, regions, most, claimant)
                                .map(claimed -> new Deferred(claimed, next.untilNext())));
    }

    private Uni<List<Claim>> claimDue(
            Collection<Integer> queues, Collection<Integer> regions, int most, Claimant claimant) {
        var token = ThreadLocalRandom.current().nextLong();
        var parameters = Tuple.tuple()
                .addValue(queues.toArray(Integer[]::new))
                .addLong((long) most)
                .addLong(claimant.lease().toMillis())
                .addLong(token)
                .addUUID(claimant.workerId())
                .addInteger(LeaseStore.MAX_RESCUES)
                .addValue(regions.toArray(Integer[]::new))
                .addInteger(claimant.leastUrgent());
        var metrics = database.metrics();
        return database.run(claimDeferred, parameters)
                .chain(rows -> ClaimRows.read(database, rows, token).invoke(claimed -> {
                    if (metrics.areOn()) {
                        metrics.claims().claimed(rows, claimed.size());
                    }
                }));
    }

    /** The groups of the answers are different ones. */
    private static Answer sum(List<Answer> answers) {
        var claimed = new HashMap<Integer, Integer>();
        var seen = new HashMap<Integer, Integer>();
        answers.forEach(answer -> {
            claimed.putAll(answer.claimed());
            seen.putAll(answer.seen());
        });
        return new Answer(
                answers.stream().flatMap(answer -> answer.claims().stream()).toList(), claimed, seen);
    }
}
