package io.taskexec.worker;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.execution.LeaseStore;
import io.taskexec.store.sql.Lanes;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** Claims what is most urgent for slots that others give up, while no slot is free. Used by the poller alone. */
@Singleton
final class UrgentClaims {
    private final LeaseStore leases;
    private final QueueRotation turns;
    private final Slots slots;
    private final Intake intake;
    private final WorkerConfig config;
    private final WorkerIdentity worker;
    private final Preemption preemption;

    UrgentClaims(
            LeaseStore leases,
            QueueRotation turns,
            Slots slots,
            RunningLeases running,
            Intake intake,
            WorkerConfig config,
            WorkerIdentity worker) {
        this.leases = leases;
        this.turns = turns;
        this.slots = slots;
        this.intake = intake;
        this.config = config;
        this.worker = worker;
        this.preemption = new Preemption(leases, slots, running);
    }

    /** Claims when it is time to look; returns how long the poller may sleep. */
    Uni<Duration> runOnce() {
        return preemption.isDue()
                ? turns.next()
                        .chain(() -> preempt(turns.urgentLanes()))
                        .map(_ -> preemption.pause(config.pollInterval()))
                : Uni.createFrom().item(preemption.pause(config.pollInterval()));
    }

    private Uni<Integer> preempt(Integer[] urgent) {
        return preemption
                .choose(urgent)
                .chain(chosen -> chosen.isEmpty() ? Uni.createFrom().item(0) : claim(urgent, chosen));
    }

    /** Claims at most as many as others give up their slots for. */
    private Uni<Integer> claim(Integer[] urgent, List<Lease> chosen) {
        var left = new ArrayDeque<>(chosen);
        return claimPlain(only(urgent, lane -> !Lanes.isKeyed(lane)), left)
                .chain(() -> claimKeyed(only(urgent, Lanes::isKeyed), left))
                .replaceWith(chosen.size() - left.size());
    }

    private static Integer[] only(Integer[] lanes, Predicate<Integer> wanted) {
        return Arrays.stream(lanes).filter(wanted).toArray(Integer[]::new);
    }

    private Uni<Integer> claimPlain(Integer[] lanes, ArrayDeque<Lease> left) {
        var askedAt = System.nanoTime();
        return leases.claim(lanes, left.size(), config.lease(), worker.id())
                .chain(claims -> intake.begin(claims, askedAt, begin(left)));
    }

    private Uni<Integer> claimKeyed(Integer[] lanes, ArrayDeque<Lease> left) {
        if (lanes.length == 0 || left.isEmpty()) {
            return Uni.createFrom().item(0);
        }
        var askedAt = System.nanoTime();
        return leases.claimKeyed(lanes, left.size(), config.lease(), worker.id())
                .chain(answer -> intake.begin(answer.claims(), askedAt, begin(left)));
    }

    private Consumer<List<Lease>> begin(ArrayDeque<Lease> left) {
        return begun -> {
            for (var i = slots.addFirst(begun); i > 0; i--) {
                Preemption.preempt(left.remove());
            }
        };
    }
}
