package io.taskexec.lease;

import io.taskexec.model.delivery.Claim;
import io.taskexec.model.lease.CancelReason;
import io.taskexec.resolve.Resolution;
import io.taskexec.resolve.ResultSettings;
import java.time.Duration;
import java.util.Comparator;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A lease of a pull worker as this process knows it. */
final class HeldLease {
    private final Claim claim;
    private final UUID workerId;
    private final Set<String> endpoints;
    private final ResultSettings resultSettings;
    private final boolean mayYield;
    private final long begunAt;
    private final @Nullable Long deadline;
    private volatile long endsAt;
    private volatile @Nullable CancelReason cancelled;

    /**
     * @param endpoints that its worker asks for
     * @param begunAt when its attempt began by {@link System#nanoTime}
     * @param endsAt when the lease ends by {@link System#nanoTime}
     */
    HeldLease(
            Claim claim,
            UUID workerId,
            Set<String> endpoints,
            Resolution.Pulled pulled,
            int priority,
            long begunAt,
            long endsAt) {
        this.claim = claim;
        this.workerId = workerId;
        this.endpoints = endpoints;
        this.resultSettings = pulled.resultSettings();
        this.mayYield = pulled.preemptible() && priority > 0 && claim.interruptions() < Claim.MOST_INTERRUPTIONS;
        this.begunAt = begunAt;
        var timeout = pulled.timeout();
        this.deadline = timeout == null ? null : begunAt + timeout.toNanos();
        this.endsAt = endsAt;
    }

    /** Leases whose attempts began last come first; of those that began at once, those that were created last. */
    static Comparator<HeldLease> latestFirst() {
        var now = System.nanoTime();
        return Comparator.comparingLong((HeldLease lease) -> now - lease.begunAt)
                .thenComparing(lease -> lease.claim.executionId(), Comparator.reverseOrder());
    }

    Claim claim() {
        return claim;
    }

    LeaseToken token() {
        return LeaseToken.of(claim);
    }

    /** When its attempt began, by {@link System#nanoTime}. */
    long begunAt() {
        return begunAt;
    }

    UUID workerId() {
        return workerId;
    }

    ResultSettings resultSettings() {
        return resultSettings;
    }

    /** Whether its worker asks for executions of one of these endpoints. */
    boolean asksFor(String endpoint) {
        return endpoints.contains(endpoint);
    }

    Set<String> endpoints() {
        return endpoints;
    }

    /** Whether it may be asked to give the execution back, and was not yet. */
    boolean canYield() {
        return mayYield && cancelled == null;
    }

    boolean isOverdue(long now) {
        var end = deadline;
        return end != null && end - now <= 0;
    }

    /** How long the attempt may still take; null for any time. */
    @Nullable
    Duration untilDeadline(long now) {
        var end = deadline;
        return end == null ? null : Duration.ofNanos(end - now);
    }

    /** Whether the lease has ended for so long. */
    boolean hasEndedFor(Duration time, long now) {
        return now - endsAt > time.toNanos();
    }

    Duration left(long now) {
        return Duration.ofNanos(endsAt - now);
    }

    void extend(long end) {
        endsAt = end;
    }

    @Nullable
    CancelReason cancelled() {
        return cancelled;
    }

    void cancel(CancelReason reason) {
        cancelled = reason;
    }
}
