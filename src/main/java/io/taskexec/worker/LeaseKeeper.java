package io.taskexec.worker;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.PublicId;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.observe.log.LogFields;
import io.taskexec.store.execution.LeaseStore;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jboss.logging.Logger;

/**
 * Renews the leases of what runs for longer than a third of a lease, many in one statement, and ends attempts whose
 * lease has been lost or could not be renewed in time.
 */
@Singleton
final class LeaseKeeper implements WorkerDuty {
    private static final Logger LOG = Logger.getLogger(LeaseKeeper.class);
    private static final int RENEWALS_PER_LEASE = 3;
    private static final int LOOKS_PER_LEASE = 12;
    private static final int MOST_AT_ONCE = 500;

    private final LeaseStore store;
    private final RunningLeases running;
    private final Duration lease;

    @Inject
    LeaseKeeper(LeaseStore store, RunningLeases running, WorkerConfig config) {
        this(store, running, config.lease());
    }

    LeaseKeeper(LeaseStore store, RunningLeases running, Duration lease) {
        this.store = store;
        this.running = running;
        this.lease = lease;
    }

    @Override
    public String name() {
        return "renewing leases";
    }

    @Override
    public String progressName() {
        return "leases";
    }

    @Override
    public Uni<Duration> runOnce() {
        running.all().stream().filter(held -> !isHeld(held)).forEach(LeaseKeeper::lose);
        // What is given up stays here until that is recorded: the lease must not go on meanwhile.
        var due = running.all().stream()
                .filter(held -> isHeld(held) && needsRenewal(held))
                .toList();
        return renew(due)
                .onFailure()
                .invoke(e -> LOG.warnf("%d leases could not be renewed: %s", due.size(), e))
                .onFailure()
                .recoverWithNull()
                .replaceWith(lease.dividedBy(LOOKS_PER_LEASE));
    }

    private static boolean isHeld(Lease held) {
        return !held.term().isOver();
    }

    private boolean needsRenewal(Lease held) {
        return held.term().age().multipliedBy(RENEWALS_PER_LEASE).compareTo(lease) >= 0;
    }

    private Uni<Void> renew(List<Lease> due) {
        if (due.isEmpty()) {
            return Uni.createFrom().voidItem();
        }
        var batch = due.subList(0, Math.min(due.size(), MOST_AT_ONCE));
        var term = Lease.Term.of(System.nanoTime(), lease);
        return store.extend(batch.stream().map(Lease::claim).toList(), lease)
                .invoke(held -> apply(batch, held, term))
                .chain(() -> renew(due.subList(batch.size(), due.size())));
    }

    private void apply(Collection<Lease> due, Set<UUID> held, Lease.Term term) {
        for (var one : due) {
            if (held.contains(one.claim().executionId())) {
                one.renew(term);
            } else if (running.all().contains(one)) {
                lose(one);
            }
        }
    }

    private static void lose(Lease lease) {
        // It stays lost in all looks until its end is recorded, or given up.
        if (lease.cancel(new Outcome.LeaseLost())) {
            var claim = lease.claim();
            LogFields.of(claim)
                    .log(() -> LOG.warnf("lease lost on execution %s", PublicId.EXECUTION.show(claim.executionId())));
        }
    }
}
