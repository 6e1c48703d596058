package io.taskexec.worker;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.execution.SharedClaims;
import io.taskexec.store.execution.SharedClaims.Share;
import io.taskexec.store.sql.Lanes;
import io.taskexec.worker.QueueClaims.Round;
import io.taskexec.worker.share.QueueShares;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;

/** Claims of each queue its share. */
@Singleton
final class ShareClaims {
    private final QueueShares shares;
    private final SharedClaims claims;
    private final Slots slots;
    private final Intake intake;
    private final WorkerConfig config;
    private final WorkerIdentity worker;

    ShareClaims(
            QueueShares shares,
            SharedClaims claims,
            Slots slots,
            Intake intake,
            WorkerConfig config,
            WorkerIdentity worker) {
        this.shares = shares;
        this.claims = claims;
        this.slots = slots;
        this.intake = intake;
        this.config = config;
        this.worker = worker;
    }

    Uni<Round> claim(QueueRotation.Shares turn, int wanted) {
        return shares.divide(wanted, turn.queues(), turn.scope())
                .chain(division -> division.isEmpty() ? nothingDue() : claim(turn, division));
    }

    private Uni<Round> nothingDue() {
        slots.await(false);
        return Uni.createFrom().item(Round.untilDue(shares.untilNext()));
    }

    private Uni<Round> claim(QueueRotation.Shares turn, List<Share> division) {
        var keyed =
                division.stream().filter(share -> Lanes.isKeyed(share.line())).toList();
        var others =
                division.stream().filter(share -> !Lanes.isKeyed(share.line())).toList();
        return claim(others, turn.leastUrgent())
                .chain(seen -> claim(keyed, turn.leastUrgent()).map(more -> seen + more))
                // What some groups have left is for the others, or all that was due has been claimed.
                .chain(seen -> shares.hasMore() ? Uni.createFrom().item(Round.FULL) : untilDue(turn, seen));
    }

    /** Returns how many executions were looked at. */
    private Uni<Integer> claim(List<Share> division, int leastUrgent) {
        if (division.isEmpty()) {
            return Uni.createFrom().item(0);
        }
        var askedAt = System.nanoTime();
        return claims.claim(division, leastUrgent, config.lease(), worker.id())
                .invoke(answer -> shares.took(division, answer))
                .call(answer -> intake.begin(answer.claims(), askedAt))
                .map(answer -> answer.seen().values().stream()
                        .mapToInt(Integer::intValue)
                        .sum());
    }

    private Uni<Round> untilDue(QueueRotation.Shares turn, int seen) {
        slots.await(false);
        return shares.isDue(turn.queues(), turn.scope()).map(isDue -> {
            if (isDue) {
                // What is due and was not found is locked by another poller.
                return seen > 0 ? Round.FULL : Round.untilDue(Duration.ZERO);
            }
            return Round.untilDue(shares.untilNext());
        });
    }
}
