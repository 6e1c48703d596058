package io.taskexec.worker;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.execution.LeaseStore;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.jboss.logging.Logger;

/**
 * Hands back executions that wait too long for a slot: those that were claimed while calls were quick, and no longer
 * are.
 */
@Singleton
final class WaitingReturn implements WorkerDuty {
    private static final Logger LOG = Logger.getLogger(WaitingReturn.class);

    /** The longest wait of an execution for a slot before another worker may claim it. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    private final LeaseStore leases;
    private final Slots slots;
    private final RunningLeases running;

    WaitingReturn(LeaseStore leases, Slots slots, RunningLeases running) {
        this.leases = leases;
        this.slots = slots;
        this.running = running;
    }

    @Override
    public String name() {
        return "handing back what waits";
    }

    @Override
    public Uni<Duration> runOnce() {
        return handBack(LONGEST_WAIT).replaceWith(LONGEST_WAIT);
    }

    /** Hands back all executions that wait. */
    Uni<Void> handBackAll() {
        return handBack(Duration.ZERO);
    }

    private Uni<Void> handBack(Duration age) {
        var waiting = slots.takeWaiting(age);
        waiting.forEach(running::remove);
        if (waiting.isEmpty()) {
            return Uni.createFrom().voidItem();
        }
        return leases.handBack(waiting.stream().map(Lease::claim).toList(), Duration.ZERO)
                .onFailure()
                .invoke(failure -> {
                    running.unreturned();
                    LOG.warnf(
                            "%d executions could not be handed back: due when their leases end, or before",
                            waiting.size());
                })
                .onFailure()
                .recoverWithItem(0)
                .replaceWithVoid();
    }
}
