package io.taskexec.worker;

import io.taskexec.model.delivery.Claim;
import java.time.Duration;

/** Leases of executions whose queues do not matter. */
final class TestLease {
    private static final long UNKNOWN_EPOCH = -1;

    private TestLease() {}

    /** One as if it had been granted {@code ago}. */
    static Lease of(Claim claim, Duration ago, Duration length) {
        return new Lease(claim, Lease.Term.of(System.nanoTime() - ago.toNanos(), length), UNKNOWN_EPOCH, () -> {});
    }
}
