package io.taskexec.worker;

import io.taskexec.model.delivery.Claim;
import io.taskexec.store.execution.LeaseStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Executions over which workers have been lost again and again. One of them may be what kills the workers, and the
 * others were only beside it; so a worker runs one at a time, and those beside it are not lost with it until they are
 * given up.
 */
final class PoisonQuarantine {
    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** Put back with one pause more for each so many. */
    private static final int PER_PAUSE = 20;

    /** Once is nothing unusual: any worker may die, of something else than its work. */
    private static final int LOST_BEFORE = 2;

    private PoisonQuarantine() {}

    /** The delay of those that have to wait: with many of them, each waits long anyhow. */
    static Duration pause(int count) {
        return PAUSE.multipliedBy(1 + count / PER_PAUSE);
    }

    /** Those of {@code claims} that must be put back before the others begin. */
    static List<Claim> toPutBack(Collection<Claim> claims, Collection<Lease> running) {
        var suspects = new ArrayList<Claim>();
        for (var claim : claims) {
            if (isSuspect(claim)) {
                suspects.add(claim);
            }
        }
        if (suspects.isEmpty() || running.stream().map(Lease::claim).anyMatch(PoisonQuarantine::isSuspect)) {
            return suspects;
        }
        return suspects.subList(1, suspects.size());
    }

    /** An execution that lost even more workers is not run any more. */
    private static boolean isSuspect(Claim claim) {
        return !claim.isDeferred() && claim.rescues() >= LOST_BEFORE && claim.rescues() <= LeaseStore.MAX_RESCUES;
    }
}
