package io.taskexec.store.execution;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.delivery.Claim;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.metrics.StoreMetrics;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.Fence;
import io.taskexec.store.sql.Lanes;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Claims due executions of WORKER endpoints for pull workers, and finds those that are leased to them. */
@Singleton
public final class PulledClaims {
    /** The inputs of one claim: bytes as it reads them, characters as they are dealt out. A larger one goes alone. */
    public static final int MOST_CHARACTERS = 8_000_000;

    private final Database database;
    private final FlowReleases releases;
    private final StoreMetrics metrics;
    private final String claimPlain;
    private final String claimKeyed;
    private final Queue<Doubt> doubts = new ConcurrentLinkedQueue<>();

    public PulledClaims(Database database, FlowReleases releases) {
        this.database = database;
        this.releases = releases;
        this.metrics = database.metrics();
        this.claimPlain = database.form(ClaimStatement.PULLED);
        this.claimKeyed = database.form(ClaimStatement.KEYED_PULLED);
    }

    /**
     * A claim for pull workers.
     *
     * @param limits how many of each queue, by the number of the queue
     * @param regions whose executions are claimed
     * @param leastUrgent the least urgent priority that is claimed
     * @param lease for which all of them are leased
     */
    public record Request(
            Map<Integer, Integer> limits, List<Integer> regions, int leastUrgent, Duration lease, UUID workerId) {}

    /**
     * A claimed execution with what a pull worker is told of its job.
     *
     * @param size characters of its input
     * @param isWithheld whether there was no room for its input, so that it is to be handed back
     */
    public record Pulled(Claim claim, int priority, List<String> tags, int size, boolean isWithheld) {
        /** The order in which executions are handed out. */
        public static final Comparator<Pulled> FIRST_DUE = Comparator.comparingInt(Pulled::priority)
                .thenComparing(one -> one.claim().runAt())
                .thenComparing(one -> one.claim().executionId());
    }

    /**
     * An answer to a claim.
     *
     * @param isFull whether there may be more that is due
     */
    public record Answer(List<Pulled> claims, boolean isFull) {}

    /**
     * The lanes of a queue in the order in which pull workers get what waits there, counted from its first lane.
     *
     * @param regions whose executions are claimed
     * @param leastUrgent the least urgent priority
     */
    public static Integer[] looks(List<Integer> regions, int leastUrgent) {
        return IntStream.rangeClosed(0, leastUrgent)
                .boxed()
                .flatMap(priority -> Stream.of(false, true)
                        .flatMap(ticks -> regions.stream().map(region -> Lanes.lane(0, region, ticks, priority))))
                .toArray(Integer[]::new);
    }

    /** Claims executions without flow keys. */
    public Uni<Answer> claim(Request request) {
        var token = ThreadLocalRandom.current().nextLong();
        return watched(
                request,
                token,
                database.run(claimPlain, parameters(request, false, token))
                        .chain(rows ->
                                read(rows, token).map(claims -> new Answer(claims, claims.size() == wanted(request)))));
    }

    /** Claims executions with flow keys, as far as the limits of the keys let it. */
    public Uni<Answer> claimKeyed(Request request) {
        var token = ThreadLocalRandom.current().nextLong();
        return watched(
                request,
                token,
                database.run(claimKeyed, parameters(request, true, token))
                        .chain(rows -> read(rows, token).chain(claims -> keyed(rows, claims, request))));
    }

    private Uni<Answer> keyed(RowSet<Row> rows, List<Pulled> claims, Request request) {
        var seen = rows.iterator().next().getLong("seen");
        return releases.claimed(rows, claims.size()).replaceWith(new Answer(claims, seen == wanted(request)));
    }

    private static int wanted(Request request) {
        return request.limits().values().stream().mapToInt(Integer::intValue).sum();
    }

    private static Tuple parameters(Request request, boolean isKeyed, long token) {
        var queues = List.copyOf(request.limits().entrySet());
        return Tuple.tuple()
                .addValue(queues.stream()
                        .map(queue -> firstLane(queue.getKey(), isKeyed))
                        .toArray(Integer[]::new))
                .addValue(queues.stream().map(queue -> (long) queue.getValue()).toArray(Long[]::new))
                .addLong(request.lease().toMillis())
                .addLong(token)
                .addUUID(request.workerId())
                .addInteger(LeaseStore.MAX_RESCUES)
                .addValue(looks(request.regions(), request.leastUrgent()));
    }

    /** The first lane of a queue, or of its executions with flow keys. */
    public static int firstLane(int queueId, boolean isKeyed) {
        var first = Lanes.lane(queueId, 0, false, 0);
        return isKeyed ? Lanes.keyed(first) : first;
    }

    private Uni<List<Pulled>> read(RowSet<Row> rows, long token) {
        var jobs = new HashMap<UUID, Row>();
        rows.forEach(row -> jobs.put(row.getUUID("execution_id"), row));
        return ClaimRows.changedJobs(database, rows).map(changed -> {
            var claims = ClaimRows.read(rows, changed, token);
            if (metrics.areOn()) {
                metrics.claims().leased(rows, claims.size());
            }
            return claims.stream()
                    .map(claim -> {
                        var row = Objects.requireNonNull(jobs.get(claim.executionId()));
                        return pulled(claim, row, ClaimRows.latest(row, changed));
                    })
                    .toList();
        });
    }

    private static Pulled pulled(Claim claim, Row row, Row job) {
        var tags = job.getArrayOfStrings("tags");
        var input = job.getString("input");
        return new Pulled(
                claim,
                Lanes.priority(row.getInteger("lane")),
                tags == null ? List.of() : List.of(tags),
                input == null ? 0 : input.length(),
                row.getBoolean("is_withheld"));
    }

    private static final String LEASED = """
            SELECT live.execution_id, live.job_id, live.attempt, live.failures, live.rescues, live.config_version,
              live.run_at, live.has_children, live.deferred, live.flow_id, NULL::float8 AS expires_in, live.lease_token,
              live.worker_id, live.lane, (extract(epoch FROM now() - live.started_at) * 1000)::bigint AS age_ms,
              j.endpoint, coalesce(live.endpoint_version, j.endpoint_version) AS endpoint_version,
              NULL AS input, j.options::text AS options, j.trace, j.trigger_rule IS NOT NULL AS has_parents,
              (SELECT value FROM epochs WHERE name = 'secrets') AS secret_epoch
            FROM exec_live live JOIN jobs j ON j.job_id = live.job_id
            WHERE %s
            """;

    private static final String FIND = LEASED.formatted(Fence.HELD);

    /**
     * An execution that is leased.
     *
     * @param claim without the input
     * @param age of the attempt
     */
    public record Leased(Claim claim, UUID workerId, int priority, Duration age) {}

    /** Finds the executions whose leases have these tokens, by their ids; the others have lost theirs. */
    public Uni<List<Leased>> find(Collection<UUID> executions, Collection<Long> tokens) {
        var parameters = Tuple.tuple().addValue(executions.toArray(UUID[]::new)).addValue(tokens.toArray(Long[]::new));
        return database.run(database.keepingPlan(FIND), parameters).map(rows -> {
            var found = Stream.<Leased>builder();
            rows.forEach(row -> found.add(new Leased(
                    ClaimRows.readOrSayWhy(row, row.getLong("lease_token")),
                    row.getUUID("worker_id"),
                    Lanes.priority(row.getInteger("lane")),
                    Duration.ofMillis(row.getLong("age_ms")))));
            return found.build().toList();
        });
    }

    private static final String OF_TOKENS = LEASED.formatted("live.lease_token = ANY($1::bigint[])");

    /**
     * Executions that may be leased, though no worker got them.
     *
     * @param isUnsent which of those that have the token are to be handed back
     * @param lease after which there is nothing left to hand back
     */
    private record Doubt(long token, Predicate<UUID> isUnsent, long at, Duration lease) {}

    /** Notes a claim that fails, or during which an answer is lost: perhaps its own, so that it ran more than once. */
    private Uni<Answer> watched(Request request, long token, Uni<Answer> claim) {
        var before = database.answerLostAt();
        return claim.onItemOrFailure().invoke((answer, _) -> {
            if (answer == null || !Objects.equals(before, database.answerLostAt())) {
                var brought = answer == null ? Set.<UUID>of() : ids(answer);
                doubts.add(new Doubt(token, id -> !brought.contains(id), System.nanoTime(), request.lease()));
            }
        });
    }

    /** An execution may have been leased with this token when it was created, and no worker got it. */
    public void mayBeLeased(UUID execution, long token, Duration lease) {
        doubts.add(new Doubt(token, execution::equals, System.nanoTime(), lease));
    }

    /** Executions that no worker got could not be handed back. */
    public void notHandedBack(Collection<Claim> unsent, Duration lease) {
        unsent.forEach(claim -> mayBeLeased(claim.executionId(), claim.leaseToken(), lease));
    }

    private static Set<UUID> ids(Answer answer) {
        return answer.claims().stream().map(one -> one.claim().executionId()).collect(Collectors.toSet());
    }

    /**
     * Hands back what was leased in statements whose answers were lost, and what could not be handed back before; it
     * reads all of {@code exec_live} then.
     *
     * @param age from which such a statement does nothing any more
     */
    public Uni<Void> freeLost(LeaseStore leases, Duration age) {
        var now = System.nanoTime();
        doubts.removeIf(doubt -> now - doubt.at() >= age.plus(doubt.lease()).toNanos());
        var old = doubts.stream()
                .filter(doubt -> now - doubt.at() >= age.toNanos())
                .collect(Collectors.groupingBy(Doubt::token));
        return old.isEmpty()
                ? Uni.createFrom().voidItem()
                : database.run(OF_TOKENS, Tuple.tuple().addValue(old.keySet().toArray(Long[]::new)))
                        .map(rows ->
                                Columns.list(rows, row -> ClaimRows.readOrSayWhy(row, row.getLong("lease_token")))
                                        .stream()
                                        .filter(claim -> Objects.requireNonNull(old.get(claim.leaseToken())).stream()
                                                .anyMatch(doubt ->
                                                        doubt.isUnsent().test(claim.executionId())))
                                        .toList())
                        .chain(lost -> lost.isEmpty() ? Uni.createFrom().item(0) : leases.handBack(lost, Duration.ZERO))
                        .invoke(() -> old.values().forEach(doubts::removeAll))
                        .replaceWithVoid();
    }

    private static final String STILL_LEASED = "SELECT live.execution_id FROM exec_live live WHERE " + Fence.HELD;

    /** Finds those of these executions whose leases have not ended. */
    public Uni<Set<UUID>> stillLeased(Collection<Claim> claims) {
        return database.run(STILL_LEASED, Fence.parameters(claims)).map(rows -> Columns.ids(rows, "execution_id"));
    }
}
