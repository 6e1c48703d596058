package io.taskexec.worker;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.store.execution.LeaseStore;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;

/**
 * Chooses running executions that give up their slots when executions of priority 0 are due and no slot is free. What
 * is due is claimed first and then gets the slots, so that of several full processes only one gives up a slot for it,
 * and none for what another process takes. Used by one loop only.
 */
final class Preemption {
    /** How often it may look, while there is no free slot. */
    static final Duration BETWEEN_LOOKS = Duration.ofMillis(250);

    /** A process with a free slot claims within less. */
    private static final Duration LEFT_TO_OTHERS = Duration.ofMillis(200);

    private static final int MOST_AT_ONCE = 20;
    private static final int MOST_CANDIDATES = 200;

    private final LeaseStore leases;
    private final Slots slots;
    private final RunningLeases running;
    private long lookedAt = System.nanoTime() - BETWEEN_LOOKS.toNanos();
    private boolean possible;

    Preemption(LeaseStore leases, Slots slots, RunningLeases running) {
        this.leases = leases;
        this.slots = slots;
        this.running = running;
    }

    /** Whether it is time to look and a running execution could give up its slot. */
    boolean isDue() {
        var now = System.nanoTime();
        if (now - lookedAt < BETWEEN_LOOKS.toNanos()) {
            return false;
        }
        lookedAt = now;
        possible = slots.isFull() && running.all().stream().anyMatch(Preemption::canYield);
        return possible;
    }

    /** The sleep of a poller without room, which would otherwise be {@code longest}. */
    Duration pause(Duration longest) {
        return possible && BETWEEN_LOOKS.compareTo(longest) < 0 ? BETWEEN_LOOKS : longest;
    }

    /** Chooses one for each execution of these lanes that waits; of those that can, the ones that began last. */
    Uni<List<Lease>> choose(Integer[] urgent) {
        var now = System.nanoTime();
        var candidates = running.all().stream()
                .filter(Preemption::canYield)
                .sorted(Comparator.comparingLong((Lease lease) -> now - lease.calledAt()))
                .limit(MOST_CANDIDATES)
                .toList();
        return candidates.isEmpty()
                ? Uni.createFrom().item(List.of())
                : leases.overdue(
                                urgent,
                                LEFT_TO_OTHERS,
                                MOST_AT_ONCE,
                                candidates.stream().map(Preemption::id).toList())
                        .map(overdue -> candidates.stream()
                                .filter(lease -> overdue.lessUrgent().contains(id(lease)))
                                .limit(overdue.count())
                                .toList());
    }

    /** Ends an attempt; the next one is due at once. */
    static void preempt(Lease chosen) {
        chosen.cancel(new Outcome.Interrupted(true));
    }

    private static boolean canYield(Lease lease) {
        return lease.canYield() && lease.claim().interruptions() < Claim.MOST_INTERRUPTIONS;
    }

    private static UUID id(Lease lease) {
        return lease.claim().executionId();
    }
}
