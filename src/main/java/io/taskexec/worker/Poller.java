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
import java.util.List;
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
            return Uni.createFrom().item(config.pollInterval());
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
        var byKey = lines.stream().collect(Collectors.partitioningBy(Lanes::isKeyed));
        return claimPlain(byKey.get(false), wanted)
                .chain(plain -> plain.claimed() == wanted
                        ? Uni.createFrom().item(plain)
                        : claimKeyed(byKey.get(true), wanted - plain.claimed()).map(plain::and));
    }

    private Uni<Taken> claimPlain(List<Integer> lines, int wanted) {
        var askedAt = System.nanoTime();
        return lines.isEmpty()
                ? Uni.createFrom().item(NOTHING)
                : leases.claim(Lanes.of(lines), wanted, config.lease(), worker.id())
                        .call(claims -> begin(claims, askedAt))
                        .map(claims -> new Taken(claims.size(), claims.size()));
    }

    private Uni<Taken> claimKeyed(List<Integer> lines, int wanted) {
        if (lines.isEmpty()) {
            return Uni.createFrom().item(NOTHING);
        }
        var askedAt = System.nanoTime();
        return leases.claimKeyed(Lanes.of(lines), wanted, config.lease(), worker.id())
                .call(answer -> begin(answer.claims(), askedAt))
                .map(answer -> new Taken(answer.claims().size(), answer.seen()));
    }

    private Uni<Integer> begin(List<Claim> claims, long askedAt) {
        if (stopping) {
            return leases.handBack(claims, Duration.ZERO);
        }
        var term = Lease.Term.of(askedAt, config.lease());
        var apart = PoisonQuarantine.toPutBack(claims, running.all());
        var begun = claims.stream()
                .filter(claim -> !apart.contains(claim))
                .map(claim -> new Lease(claim, term, turns.epoch()))
                .toList();
        begun.forEach(running::add);
        // Before anything begins: what dies with us before it is put back counts as lost.
        return putBack(apart).invoke(() -> slots.add(begun));
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
        return leases.untilNextDue(Lanes.of(lines)).map(this::bounded).map(turns::bounded);
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
