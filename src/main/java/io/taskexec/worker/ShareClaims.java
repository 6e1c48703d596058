package io.taskexec.worker;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.execution.LimitedClaims;
import io.taskexec.store.execution.SharedClaims;
import io.taskexec.store.execution.SharedClaims.Answer;
import io.taskexec.store.execution.SharedClaims.Claimant;
import io.taskexec.store.execution.SharedClaims.Share;
import io.taskexec.store.sql.Lanes;
import io.taskexec.worker.QueueClaims.Round;
import io.taskexec.worker.share.QueueShares;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.function.IntPredicate;

/** Claims of each queue its share. */
@Singleton
final class ShareClaims {
    private final QueueShares shares;
    private final SharedClaims claims;
    private final LimitedClaims limitedClaims;
    private final Slots slots;
    private final Intake intake;
    private final WorkerConfig config;
    private final WorkerIdentity worker;

    ShareClaims(
            QueueShares shares,
            SharedClaims claims,
            LimitedClaims limitedClaims,
            Slots slots,
            Intake intake,
            WorkerConfig config,
            WorkerIdentity worker) {
        this.shares = shares;
        this.claims = claims;
        this.limitedClaims = limitedClaims;
        this.slots = slots;
        this.intake = intake;
        this.config = config;
        this.worker = worker;
    }

    Uni<Round> claim(QueueRotation.Shares turn, int wanted) {
        return lookAfterDeferred(turn, wanted)
                .chain(looks -> looks == wanted
                        ? Uni.createFrom().item(Round.FULL)
                        : shares.divide(wanted - looks, turn.queues(), turn.scope())
                                .chain(division -> division.isEmpty() ? nothingDue() : claim(turn, division)));
    }

    /**
     * Claims what is deferred and due in full queues: at most half of what is wanted, since other queues have nothing
     * from it. Returns how many those were.
     */
    private Uni<Integer> lookAfterDeferred(QueueRotation.Shares turn, int wanted) {
        var full = shares.toLookAt(turn.queues());
        if (full.isEmpty()) {
            return Uni.createFrom().item(0);
        }
        var askedAt = System.nanoTime();
        return limitedClaims
                .claimDeferred(full, turn.regions(), Math.ceilDiv(wanted, 2), claimant(turn))
                .invoke(found -> shares.looked(full, askedAt, found.untilNext()))
                .call(found -> intake.begin(found.claims(), askedAt))
                .map(found -> found.claims().size());
    }

    private Claimant claimant(QueueRotation.Shares turn) {
        return new Claimant(turn.leastUrgent(), config.lease(), worker.id());
    }

    private Uni<Round> nothingDue() {
        slots.await(false);
        return Uni.createFrom().item(Round.untilDue(0, shares.untilNext()));
    }

    private Uni<Round> claim(QueueRotation.Shares turn, List<Share> division) {
        var claimant = claimant(turn);
        var limited = only(division, turn::isLimited);
        var keyed = only(division, line -> !turn.isLimited(line) && Lanes.isKeyed(line));
        var others = only(division, line -> !turn.isLimited(line) && !Lanes.isKeyed(line));
        return claim(others, claimant)
                .chain(seen -> claim(keyed, claimant).map(more -> seen + more))
                .chain(seen -> claimLimited(limited, claimant).map(more -> seen + more))
                // What some groups have left is for the others, or all that was due has been claimed.
                .chain(seen -> shares.hasMore() ? Uni.createFrom().item(Round.FULL) : untilDue(turn, seen));
    }

    private static List<Share> only(List<Share> division, IntPredicate isWanted) {
        return division.stream().filter(share -> isWanted.test(share.line())).toList();
    }

    /** Returns how many executions were looked at. */
    private Uni<Integer> claim(List<Share> division, Claimant claimant) {
        if (division.isEmpty()) {
            return Uni.createFrom().item(0);
        }
        var askedAt = System.nanoTime();
        return claims.claim(division, claimant)
                .invoke(answer -> shares.took(division, answer))
                .call(answer -> intake.begin(answer.claims(), askedAt))
                .map(ShareClaims::seen);
    }

    private static int seen(Answer answer) {
        return answer.seen().values().stream().mapToInt(Integer::intValue).sum();
    }

    private Uni<Integer> claimLimited(List<Share> division, Claimant claimant) {
        if (division.isEmpty()) {
            return Uni.createFrom().item(0);
        }
        var askedAt = System.nanoTime();
        var freed = shares.placesFreed();
        return limitedClaims
                .claim(division, slots.size(), claimant)
                .invoke(grant -> shares.took(grant, freed))
                .call(grant -> intake.beginLimited(grant.answer().claims(), askedAt, this::placeFreed))
                .map(grant -> seen(grant.answer()));
    }

    private void placeFreed() {
        shares.placeFreed();
        slots.wakePoller();
    }

    private Uni<Round> untilDue(QueueRotation.Shares turn, int seen) {
        slots.await(false);
        return shares.isDue(turn.queues(), turn.scope()).map(isDue -> {
            if (isDue) {
                // What is due and was not found is locked by another poller.
                return seen > 0 ? Round.FULL : Round.untilDue(0, Duration.ZERO);
            }
            return Round.untilDue(seen, shares.untilNext());
        });
    }
}
