package io.taskexec.lease;

import io.smallrye.mutiny.Uni;
import io.taskexec.loop.Duty;
import io.taskexec.loop.Loop;
import io.taskexec.loop.LoopTimer;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.job.Failure;
import io.taskexec.model.lease.CancelReason;
import jakarta.inject.Singleton;
import java.time.Duration;

/**
 * Looks after leases that were handed out: ends attempts whose time is over, asks workers to give up attempts for
 * executions of priority 0, and forgets leases that have ended. It also frees those that no worker got since the answer
 * of the database was lost.
 */
@Singleton
final class LeaseWatch implements Duty {
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(250);
    private static final Duration IDLE = Duration.ofSeconds(5);

    /** A worker that is late may still end it, as long as no other one has it. */
    private static final Duration KNOWN_AFTER_END = Duration.ofSeconds(30);

    private final HeldLeases held;
    private final LeaseActions actions;
    private final LeaseBroker broker;
    private final PulledPreemption preemption;
    private final PullClaims claims;
    private final Loop loop;

    LeaseWatch(
            HeldLeases held,
            LeaseActions actions,
            LeaseBroker broker,
            PulledPreemption preemption,
            PullClaims claims,
            LoopTimer timer) {
        this.held = held;
        this.actions = actions;
        this.broker = broker;
        this.preemption = preemption;
        this.claims = claims;
        this.loop = new Loop("looking after leases of pull workers", this, timer);
    }

    void start() {
        held.onFirst(loop::wake);
        loop.start();
    }

    Uni<Void> stop() {
        return loop.stop();
    }

    @Override
    public Uni<Duration> runOnce() {
        var now = System.nanoTime();
        held.all().stream()
                .filter(lease -> lease.hasEndedFor(KNOWN_AFTER_END, now))
                .toList()
                .forEach(held::remove);
        var isIdle = held.size() == 0;
        var looked = isIdle ? Uni.createFrom().voidItem() : endOverdue(now).chain(preemption::look);
        return looked.chain(claims::freeLost).replaceWith(isIdle ? IDLE : BETWEEN_LOOKS);
    }

    private Uni<Void> endOverdue(long now) {
        var overdue = held.all().stream().filter(lease -> lease.isOverdue(now)).toList();
        return overdue.isEmpty()
                ? Uni.createFrom().voidItem()
                : Uni.join()
                        .all(overdue.stream().map(this::timeOut).toList())
                        .andFailFast()
                        .replaceWithVoid();
    }

    private Uni<Void> timeOut(HeldLease lease) {
        var failure = new Failure(Failure.Type.TIMEOUT, "The attempt took longer than its timeout.");
        return actions.end(lease, new Outcome.RetryableFailure(failure, null))
                .invoke(ended -> {
                    held.remove(lease);
                    if (ended) {
                        held.cancel(lease, CancelReason.TIMED_OUT);
                        broker.look();
                    }
                })
                .replaceWithVoid();
    }
}
