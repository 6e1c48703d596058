package io.taskexec.worker;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.execution.LeaseStore;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.worker.QueueClaims.Round;
import jakarta.inject.Singleton;
import java.util.List;

/** Claims from lines that take turns. */
@Singleton
final class LineClaims {
    private static final Taken NOTHING = new Taken(0, 0);

    private final LeaseStore leases;
    private final QueueRotation turns;
    private final Slots slots;
    private final Intake intake;
    private final DueSignal dueSignal;
    private final WorkerConfig config;
    private final WorkerIdentity worker;

    LineClaims(
            LeaseStore leases,
            QueueRotation turns,
            Slots slots,
            Intake intake,
            DueSignal dueSignal,
            WorkerConfig config,
            WorkerIdentity worker) {
        this.dueSignal = dueSignal;
        this.leases = leases;
        this.turns = turns;
        this.slots = slots;
        this.intake = intake;
        this.config = config;
        this.worker = worker;
    }

    Uni<Round> claim(QueueRotation.Lines lines, int wanted) {
        var signals = dueSignal.pushed();
        var turn = lines.turn();
        return claim(turn.first(), wanted)
                .invoke(taken -> turns.claimed(turn, taken.seen() == wanted))
                .chain(taken -> taken.seen() == wanted || turn.rest().isEmpty()
                        ? Uni.createFrom().item(taken)
                        : claim(turn.rest(), wanted - taken.claimed()).map(taken::and))
                .chain(sum -> {
                    var isMoreLeft = sum.seen() >= wanted || !turn.isForAll(lines.all());
                    turns.leftMore(isMoreLeft);
                    // What was signalled meanwhile is claimed at once, and not after a look for what is due next.
                    return isMoreLeft || dueSignal.pushed() != signals
                            ? Uni.createFrom().item(Round.FULL)
                            : untilDue(lines.all(), sum.seen());
                });
    }

    /**
     * Counts what a claim has brought.
     *
     * @param seen also counts executions that the limits of their flow keys kept from being claimed
     */
    private record Taken(int claimed, int seen) {
        Taken and(Taken other) {
            return new Taken(claimed + other.claimed, seen + other.seen);
        }
    }

    private Uni<Taken> claim(List<Integer> lines, int wanted) {
        var keyed = lines.stream().filter(Lanes::isKeyed).toList();
        var others = lines.stream().filter(line -> !Lanes.isKeyed(line)).toList();
        return claimPlain(others, wanted)
                .chain(plain -> plain.claimed() == wanted
                        ? Uni.createFrom().item(plain)
                        : claimKeyed(keyed, wanted - plain.claimed()).map(plain::and));
    }

    private Uni<Taken> claimPlain(List<Integer> lines, int wanted) {
        var askedAt = System.nanoTime();
        return lines.isEmpty()
                ? Uni.createFrom().item(NOTHING)
                : leases.claim(turns.lanes(lines), wanted, config.lease(), worker.id())
                        .call(claims -> intake.begin(claims, askedAt))
                        .map(claims -> new Taken(claims.size(), claims.size()));
    }

    private Uni<Taken> claimKeyed(List<Integer> lines, int wanted) {
        if (lines.isEmpty()) {
            return Uni.createFrom().item(NOTHING);
        }
        var askedAt = System.nanoTime();
        return leases.claimKeyed(turns.lanes(lines), wanted, config.lease(), worker.id())
                .call(answer -> intake.begin(answer.claims(), askedAt))
                .map(answer -> new Taken(answer.claims().size(), answer.seen()));
    }

    private Uni<Round> untilDue(List<Integer> lines, int seen) {
        slots.await(false);
        return leases.untilNextDue(turns.lanes(lines)).map(time -> Round.untilDue(seen, time));
    }
}
