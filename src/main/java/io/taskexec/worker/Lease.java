package io.taskexec.worker;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.Outcome;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * A claim with this process's own view of how long it holds: a monotonic deadline that ends before the database's does,
 * whatever the machine's clock says.
 */
final class Lease {
    private final Claim claim;
    private final Runnable left;
    private final long takenAt = System.nanoTime();
    private final long askedAt;
    private final CompletableFuture<Outcome> cancelled = new CompletableFuture<>();
    private volatile Term term;
    private volatile boolean called;
    private volatile long calledAt;
    private volatile boolean yields;
    private volatile long queueEpoch;

    /**
     * A span for which the lease is known to hold.
     *
     * @param askedAt {@link System#nanoTime} before the statement was sent that granted it
     * @param length how much of it is counted on
     */
    record Term(long askedAt, Duration length) {
        // What a statement's answer may take, and a request's last bytes.
        private static final int MARGIN_PARTS = 12;

        /** A lease granted by a statement that was sent at {@code askedAt}, shortened by a margin. */
        static Term of(long askedAt, Duration lease) {
            return new Term(askedAt, lease.minus(lease.dividedBy(MARGIN_PARTS)));
        }

        Duration age() {
            return Duration.ofNanos(System.nanoTime() - askedAt);
        }

        boolean isOver() {
            return System.nanoTime() - askedAt >= length.toNanos();
        }
    }

    /**
     * A lease of an execution whose queue was running.
     *
     * @param queueEpoch the epoch of queues in which it was
     * @param left called when this process holds the lease no more
     */
    Lease(Claim claim, Term term, long queueEpoch, Runnable left) {
        this.claim = claim;
        this.left = left;
        this.term = term;
        this.askedAt = term.askedAt();
        this.queueEpoch = queueEpoch;
    }

    Claim claim() {
        return claim;
    }

    /** The latest epoch of queues in which the queue of the execution was seen running. */
    long queueEpoch() {
        return queueEpoch;
    }

    void seenRunning(long epoch) {
        queueEpoch = epoch;
    }

    /** This process holds it no more. */
    void leave() {
        left.run();
    }

    /** Since it was claimed. */
    Duration age() {
        return Duration.ofNanos(System.nanoTime() - takenAt);
    }

    /** Whether no attempt may begin any more. Its time is counted from when the claim was sent, so it ends no later. */
    boolean isExpired() {
        var time = claim.expiresIn();
        return time != null && time.compareTo(Duration.ofNanos(System.nanoTime() - askedAt)) <= 0;
    }

    Term term() {
        return term;
    }

    void renew(Term renewed) {
        term = renewed;
    }

    /** Ends the attempt with this outcome unless it has ended by itself; returns false when it was cancelled before. */
    @CanIgnoreReturnValue
    boolean cancel(Outcome outcome) {
        return cancelled.complete(outcome);
    }

    /** Whether the call was begun, so that the receiver may have got it. */
    boolean wasCalled() {
        return called;
    }

    /** From now on it may be asked to give up its slot. */
    void mayYield() {
        yields = true;
    }

    /** Whether its call is under way and may be cut short. */
    boolean canYield() {
        return yields && called && !cancelled.isDone();
    }

    /** When its call was begun, by {@link System#nanoTime}. */
    long calledAt() {
        return calledAt;
    }

    /** The outcome of an attempt, or the one with which it is cancelled, which ends what is under way. */
    Uni<Outcome> orCancelled(Supplier<Uni<Outcome>> attempt) {
        if (cancelled.isDone()) {
            return Uni.createFrom().item(cancelled.join());
        }
        calledAt = System.nanoTime();
        called = true;
        return Uni.createFrom().emitter(emitter -> {
            var underWay = attempt.get().subscribe().with(emitter::complete, emitter::fail);
            var _ = cancelled.thenAccept(outcome -> {
                emitter.complete(outcome);
                underWay.cancel();
            });
        });
    }
}
