package io.taskexec.worker;

import io.smallrye.mutiny.Uni;
import io.taskexec.loop.Duty;
import io.taskexec.model.delivery.Claim;
import io.taskexec.store.execution.LeaseStore;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.worker.QueueRotation.Turn;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Claims as many due executions as there is room for, in one statement, and sleeps until the next one is due. */
@Singleton
final class Poller implements Duty {
    private static final Logger LOG = Logger.getLogger(Poller.class);
    private static final int MAX_BATCH = 500;
    private static final Taken NOTHING = new Taken(0, 0);

    /** Due executions that another poller has locked would be asked for without a pause. */
    private static final Duration SHORTEST_SLEEP = Duration.ofMillis(2);

    private final LeaseStore leases;
    private final QueueRotation turns;
    /** While other processes tell of what is due, looking without being told is only for what they could not tell. */
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(4);

    private final DueSignal dueSignal;
    private final Slots slots;
    private final RunningLeases running;
    private final WorkerConfig config;
    private final WorkerIdentity worker;
    private final Preemption preemption;
    private final Purpose usual;
    private volatile boolean stopping;

    Poller(
            LeaseStore leases,
            QueueRotation turns,
            DueSignal dueSignal,
            Slots slots,
            RunningLeases running,
            WorkerConfig config,
            WorkerIdentity worker) {
        this.leases = leases;
        this.turns = turns;
        this.dueSignal = dueSignal;
        this.slots = slots;
        this.running = running;
        this.config = config;
        this.worker = worker;
        this.preemption = new Preemption(leases, slots, running);
        this.usual = new Purpose(UnaryOperator.identity(), slots::add);
    }

    /** From now on what is claimed is handed back. */
    void stopBeginning() {
        stopping = true;
    }

    @Override
    public Uni<Duration> runOnce() {
        // Set before the slots are counted: a slot that is freed in between then wakes us for nothing, but never too
        // few.
        slots.await(true);
        var wanted = slots.isLow() ? Math.min(slots.room(), MAX_BATCH) : 0;
        if (wanted <= 0 || stopping) {
            return stopping || !preemption.isDue()
                    ? Uni.createFrom().item(preemption.pause(config.pollInterval()))
                    : turns.next().chain(this::preempt);
        }
        return turns.next().chain(turn -> claim(turn, wanted));
    }

    private Uni<Duration> claim(Turn turn, int wanted) {
        return claim(turn.lines(), wanted)
                .invoke(first -> turns.claimed(turn, first.seen()))
                .chain(first -> first.seen() == wanted || turn.isForAll()
                        ? Uni.createFrom().item(first)
                        : claim(turn.all(), wanted - first.claimed()).map(first::and))
                .chain(sum -> sum.seen() >= wanted ? Uni.createFrom().item(Duration.ZERO) : sleep(turn.all()));
    }

    /** Claims what is most urgent for slots that others give up. */
    private Uni<Duration> preempt(Turn turn) {
        return preemption
                .choose(Preemption.urgent(turns.lanes(turn.all())))
                .chain(chosen -> chosen.isEmpty()
                        ? Uni.createFrom().item(NOTHING)
                        : claim(turn.all(), chosen.size(), urgent(chosen)))
                .map(_ -> preemption.pause(config.pollInterval()));
    }

    /** A claim for which others give up their slots. */
    private Purpose urgent(List<Lease> chosen) {
        var left = new ArrayDeque<>(chosen);
        return new Purpose(Preemption::urgent, begun -> {
            for (var i = slots.addFirst(begun); i > 0; i--) {
                Preemption.preempt(left.remove());
            }
        });
    }

    /**
     * The purpose of a claim.
     *
     * @param lanes leaves those that are to be claimed from
     * @param begins takes what is to begin
     */
    private record Purpose(UnaryOperator<Integer[]> lanes, Consumer<List<Lease>> begins) {}

    /**
     * The executions of a claim.
     *
     * @param seen also counts executions that the limits of their flow keys kept from being claimed
     */
    private record Taken(int claimed, int seen) {
        Taken and(Taken other) {
            return new Taken(claimed + other.claimed, seen + other.seen);
        }
    }

    private Uni<Taken> claim(List<Integer> lines, int wanted) {
        return claim(lines, wanted, usual);
    }

    private Uni<Taken> claim(List<Integer> lines, int wanted, Purpose purpose) {
        var byKey = lines.stream().collect(Collectors.partitioningBy(Lanes::isKeyed));
        return claimPlain(byKey.get(false), wanted, purpose)
                .chain(plain -> plain.claimed() == wanted
                        ? Uni.createFrom().item(plain)
                        : claimKeyed(byKey.get(true), wanted - plain.claimed(), purpose)
                                .map(plain::and));
    }

    private Uni<Taken> claimPlain(List<Integer> lines, int wanted, Purpose purpose) {
        var askedAt = System.nanoTime();
        return lines.isEmpty()
                ? Uni.createFrom().item(NOTHING)
                : leases.claim(lanes(lines, purpose), wanted, config.lease(), worker.id())
                        .call(claims -> begin(claims, askedAt, purpose))
                        .map(claims -> new Taken(claims.size(), claims.size()));
    }

    private Uni<Taken> claimKeyed(List<Integer> lines, int wanted, Purpose purpose) {
        if (lines.isEmpty()) {
            return Uni.createFrom().item(NOTHING);
        }
        var askedAt = System.nanoTime();
        return leases.claimKeyed(lanes(lines, purpose), wanted, config.lease(), worker.id())
                .call(answer -> begin(answer.claims(), askedAt, purpose))
                .map(answer -> new Taken(answer.claims().size(), answer.seen()));
    }

    private Integer[] lanes(List<Integer> lines, Purpose purpose) {
        return purpose.lanes().apply(turns.lanes(lines));
    }

    private Uni<Integer> begin(List<Claim> claims, long askedAt, Purpose purpose) {
        if (stopping) {
            return leases.handBack(claims, Duration.ZERO);
        }
        var term = Lease.Term.of(askedAt, config.lease());
        var apart = PoisonQuarantine.toPutBack(claims, running.all());
        var begun = claims.stream()
                .filter(claim -> !apart.contains(claim))
                .map(claim -> new Lease(claim, term))
                .toList();
        begun.forEach(running::add);
        // Before anything begins: what dies with us before it is put back counts as lost.
        return putBack(apart).invoke(() -> purpose.begins().accept(begun));
    }

    private Uni<Integer> putBack(List<Claim> apart) {
        return apart.isEmpty()
                ? Uni.createFrom().item(0)
                : leases.handBack(apart, PoisonQuarantine.pause(apart.size()))
                        .onFailure()
                        .invoke(failure -> LOG.warnf("%d executions wait for the end of their leases", apart.size()))
                        .onFailure()
                        .recoverWithItem(0);
    }

    private Uni<Duration> sleep(List<Integer> lines) {
        slots.await(false);
        return leases.untilNextDue(turns.lanes(lines)).map(this::bounded);
    }

    private Duration bounded(@Nullable Duration untilDue) {
        var longest = dueSignal.hearsOthers() && config.pollInterval().compareTo(BETWEEN_LOOKS) < 0
                ? BETWEEN_LOOKS
                : config.pollInterval();
        if (untilDue == null || untilDue.compareTo(longest) > 0) {
            return longest;
        }
        return untilDue.compareTo(SHORTEST_SLEEP) < 0 ? SHORTEST_SLEEP : untilDue;
    }
}
