package io.taskexec.store.execution;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.delivery.Claim;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.metrics.StoreMetrics;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.Lanes;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/** Claims due executions of several lane groups at once, of each group its share. */
@Singleton
public final class SharedClaims {
    /** Longer steps are as good as none, and times can be reckoned with. */
    private static final long LONGEST_STEP_MS = Duration.ofDays(365).toMillis();

    private final Database database;
    private final LeaseStore leases;
    private final FlowReleases releases;
    private final StoreMetrics metrics;
    private final String claimPlain;
    private final String claimKeyed;

    public SharedClaims(Database database, LeaseStore leases, FlowReleases releases) {
        this.database = database;
        this.leases = leases;
        this.releases = releases;
        this.metrics = database.metrics();
        this.claimPlain = database.form(metrics.areOn() ? ClaimStatement.SHARED_MEASURED : ClaimStatement.SHARED);
        this.claimKeyed =
                database.form(metrics.areOn() ? ClaimStatement.KEYED_SHARED_MEASURED : ClaimStatement.KEYED_SHARED);
    }

    /**
     * The part of a claim that a lane group may have.
     *
     * @param line the group, by its first lane
     * @param limit most executions
     * @param agingMs see {@link io.taskexec.model.queue.QueueShare}
     * @param agedFirst of executions that are equally urgent by now, whether those come first whose priority has aged
     *     most; otherwise those of the higher priority do
     */
    public record Share(int line, int limit, long agingMs, boolean agedFirst) {
        /** The same group with another limit. */
        Share limitedTo(int most) {
            return most == limit ? this : new Share(line, most, agingMs, agedFirst);
        }
    }

    /**
     * An answer to a claim.
     *
     * @param claimed how many were claimed, by lane group
     * @param seen how many were looked at, by lane group: with fewer than its limit, a group has no more that is due
     */
    public record Answer(List<Claim> claims, Map<Integer, Integer> claimed, Map<Integer, Integer> seen) {}

    /**
     * The worker that claims.
     *
     * @param leastUrgent the lowest priority that may start, as a number
     */
    public record Claimant(int leastUrgent, Duration lease, UUID workerId) {}

    /** Claims of groups that all have flow keys, or all have none; of each the most urgent executions first. */
    public Uni<Answer> claim(List<Share> shares, Claimant claimant) {
        var first = shares.getFirst();
        var isKeyed = Lanes.isKeyed(first.line());
        if (shares.size() == 1 && first.agingMs() == 0 && claimant.leastUrgent() == Lanes.PRIORITIES - 1) {
            return isKeyed ? claimKeyed(first, claimant) : claimPlain(first, claimant);
        }
        var request = new Request(shares, claimant, false);
        return database.run(request.isKeyed() ? claimKeyed : claimPlain, request.parameters())
                .chain(rows -> answered(request, rows));
    }

    private Uni<Answer> claimPlain(Share only, Claimant claimant) {
        return leases.claimOfAll(Lanes.of(List.of(only.line())), only.limit(), claimant.lease(), claimant.workerId())
                .map(claims -> answer(only, claims, claims.size()));
    }

    private Uni<Answer> claimKeyed(Share only, Claimant claimant) {
        return leases.claimKeyed(Lanes.of(List.of(only.line())), only.limit(), claimant.lease(), claimant.workerId())
                .map(answer -> answer(only, answer.claims(), answer.seen()));
    }

    private static Answer answer(Share only, List<Claim> claims, int seen) {
        return new Answer(claims, Map.of(only.line(), claims.size()), Map.of(only.line(), seen));
    }

    /** Claims in a transaction what counts for a limit of its queue. */
    Uni<RowSet<Row>> claim(SqlConnection transaction, Request request) {
        return Database.on(transaction, request.isKeyed() ? claimKeyed : claimPlain, request.parameters());
    }

    /** Reads the answer to a claim once it is committed, and asks for what follows from it. */
    Uni<Answer> answered(Request request, RowSet<Row> rows) {
        return ClaimRows.read(database, rows, request.token()).chain(claims -> answered(request, rows, claims));
    }

    private Uni<Answer> answered(Request request, RowSet<Row> rows, List<Claim> claims) {
        if (metrics.areOn()) {
            metrics.claims().claimed(rows, claims.size());
        }
        var claimed = claimedByLine(rows);
        if (!request.isKeyed()) {
            return Uni.createFrom().item(new Answer(claims, claimed, claimed));
        }
        var seen = new HashMap<Integer, Integer>();
        var lanes = rows.iterator().next().getArrayOfIntegers("seen_lanes");
        Arrays.stream(lanes == null ? new Integer[0] : lanes).forEach(lane -> count(seen, lane));
        return releases.claimed(rows, claims.size()).replaceWith(new Answer(claims, claimed, seen));
    }

    static Map<Integer, Integer> claimedByLine(RowSet<Row> rows) {
        return countByLine(rows, false);
    }

    /** The attempts among them: to look after what is deferred counts as no attempt. */
    static Map<Integer, Integer> attemptsByLine(RowSet<Row> rows) {
        return countByLine(rows, true);
    }

    private static Map<Integer, Integer> countByLine(RowSet<Row> rows, boolean attemptsOnly) {
        var counts = new HashMap<Integer, Integer>();
        for (var row : rows) {
            var lane = row.getInteger("lane");
            if (lane != null && !(attemptsOnly && row.getBoolean("deferred"))) {
                count(counts, lane);
            }
        }
        return counts;
    }

    private static void count(Map<Integer, Integer> counts, int lane) {
        counts.merge(Lanes.line(lane), 1, Integer::sum);
    }

    /**
     * A claim by shares.
     *
     * @param isLimited whether what is claimed counts for a limit of its queue
     * @param token of the leases
     */
    record Request(List<Share> shares, Claimant claimant, boolean isLimited, long token) {
        Request(List<Share> shares, Claimant claimant, boolean isLimited) {
            this(shares, claimant, isLimited, ThreadLocalRandom.current().nextLong());
        }

        boolean isKeyed() {
            return Lanes.isKeyed(shares.getFirst().line());
        }

        Tuple parameters() {
            var looks = LaneLooks.of(shares.stream().anyMatch(share -> share.agingMs() > 0), claimant.leastUrgent());
            return Tuple.tuple()
                    .addValue(shares.stream().map(Share::line).toArray(Integer[]::new))
                    .addValue(shares.stream().map(share -> (long) share.limit()).toArray(Long[]::new))
                    .addLong(claimant.lease().toMillis())
                    .addLong(token)
                    .addUUID(claimant.workerId())
                    .addInteger(LeaseStore.MAX_RESCUES)
                    .addValue(shares.stream()
                            .map(share -> Math.min(share.agingMs(), LONGEST_STEP_MS))
                            .toArray(Long[]::new))
                    .addValue(shares.stream().map(Share::agedFirst).toArray(Boolean[]::new))
                    .addValue(looks.priorities())
                    .addValue(looks.steps())
                    .addValue(looks.agedFirst())
                    .addBoolean(isLimited);
        }
    }
}
