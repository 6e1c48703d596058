package io.taskexec.worker;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.delivery.Claim;
import io.taskexec.store.execution.LeaseStore;
import io.taskexec.store.job.EagerStarts;
import io.taskexec.store.job.EagerStarts.Place;
import io.taskexec.store.job.NewJob;
import io.taskexec.store.wakeup.DueSignal.Work;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Begins what was claimed, puts back what must not run beside others, and hands all of it back once it must stop. What
 * this process creates begins without a claim in slots that are free, while the last claim has left nothing behind.
 */
@Singleton
final class Intake implements EagerStarts.Starter {
    private static final Logger LOG = Logger.getLogger(Intake.class);

    private final LeaseStore leases;
    private final QueueRotation turns;
    private final Slots slots;
    private final RunningLeases running;
    private final WorkerConfig config;
    private final WorkerIdentity worker;
    private final EagerStarts starts;
    private volatile boolean stopping;

    Intake(
            LeaseStore leases,
            QueueRotation turns,
            Slots slots,
            RunningLeases running,
            WorkerConfig config,
            WorkerIdentity worker,
            EagerStarts starts) {
        this.worker = worker;
        this.starts = starts;
        this.leases = leases;
        this.turns = turns;
        this.slots = slots;
        this.running = running;
        this.config = config;
    }

    /** From now on what is created here may begin at once. */
    void start() {
        starts.startWith(Work.PUSHED, this);
    }

    @Override
    public @Nullable Place place(NewJob job, int lane) {
        // Before the look at its queue, which may be paused before the answer comes.
        var epoch = turns.epoch();
        return !stopping && turns.mayStart(lane) && slots.keep() ? new Slot(epoch) : null;
    }

    /** A slot that is kept for one execution. */
    private final class Slot implements Place {
        private final long epoch;

        Slot(long epoch) {
            this.epoch = epoch;
        }

        @Override
        public UUID workerId() {
            return worker.id();
        }

        @Override
        public Duration lease() {
            return config.lease();
        }

        @Override
        public void fill(Claim claim, long askedAt) {
            slots.giveBack();
            leases.beganAtOnce();
            begin(List.of(claim), epoch, askedAt, slots::add, () -> {})
                    .subscribe()
                    .with(_ -> {}, _ -> LOG.warn("an execution waits for the end of its lease"));
        }

        // What is leased all the same is found by LostClaims.
        @Override
        public void leaveEmpty(@Nullable Long doubted) {
            slots.giveBack();
            if (slots.isAwaited()) {
                slots.wakePoller();
            }
        }
    }

    /** From now on what is claimed is handed back. */
    void stop() {
        stopping = true;
    }

    boolean isStopping() {
        return stopping;
    }

    /**
     * Begins the executions of a claim.
     *
     * @param askedAt before the claim was sent, since its lease began no earlier
     */
    Uni<Integer> begin(List<Claim> claims, long askedAt) {
        return begin(claims, askedAt, slots::add);
    }

    /** The same, where {@code begins} takes what is to begin. */
    Uni<Integer> begin(List<Claim> claims, long askedAt, Consumer<List<Lease>> begins) {
        return begin(claims, turns.epoch(), askedAt, begins, () -> {});
    }

    /** The same of claims that count for limits of their queues; {@code freed} is told when one does not any more. */
    Uni<Integer> beginLimited(List<Claim> claims, long askedAt, Runnable freed) {
        return begin(claims, turns.epoch(), askedAt, slots::add, freed);
    }

    private Uni<Integer> begin(
            List<Claim> claims, long epoch, long askedAt, Consumer<List<Lease>> begins, Runnable left) {
        if (stopping) {
            return leases.handBack(claims, Duration.ZERO).onFailure().invoke(running::unreturned);
        }
        var term = Lease.Term.of(askedAt, config.lease());
        var apart = PoisonQuarantine.toPutBack(claims, running.all());
        var begun = new ArrayList<Lease>(claims.size());
        for (var claim : claims) {
            if (!apart.contains(claim)) {
                var lease = new Lease(claim, term, epoch, left);
                running.add(lease);
                begun.add(lease);
            }
        }
        // Before anything begins: what dies with us before it is put back counts as lost.
        return putBack(apart).invoke(() -> begins.accept(begun));
    }

    private Uni<Integer> putBack(List<Claim> apart) {
        return apart.isEmpty()
                ? Uni.createFrom().item(0)
                : leases.handBack(apart, PoisonQuarantine.pause(apart.size()))
                        .onFailure()
                        .invoke(failure -> {
                            running.unreturned();
                            LOG.warnf(
                                    "%d executions could not be handed back: due when their leases end, or before",
                                    apart.size());
                        })
                        .onFailure()
                        .recoverWithItem(0);
    }
}
