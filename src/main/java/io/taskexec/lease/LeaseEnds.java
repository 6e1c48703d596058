package io.taskexec.lease;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.delivery.Transition;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.model.job.Failure;
import io.taskexec.model.lease.CancelReason;
import io.taskexec.store.wait.DeferralStore;
import io.taskexec.wait.OutsideResults;
import jakarta.inject.Singleton;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * Ends attempts of pull workers, and counts each end once. What a statement has done whose answer was lost, the same
 * statement does not find again: then the record tells.
 */
@Singleton
final class LeaseEnds {
    private final HeldLeases held;
    private final OutsideResults results;
    private final DeferralStore records;
    private final LeaseMetrics metrics;

    LeaseEnds(HeldLeases held, OutsideResults results, DeferralStore records, LeaseMetrics metrics) {
        this.held = held;
        this.results = results;
        this.records = records;
        this.metrics = metrics;
    }

    /**
     * Ends an attempt as its worker says; returns the status of its execution, or null when the lease was lost. A
     * result that comes after the attempt's timeout counts only when it was recorded before.
     */
    Uni<@Nullable ExecutionStatus> end(HeldLease lease, Outcome outcome, LeaseEnd end) {
        return lease.isOverdue(System.nanoTime())
                ? timeOut(lease)
                        .chain(isTimedOut ->
                                isTimedOut ? Uni.createFrom().nullItem() : recordedBefore(lease, outcome, end))
                : record(lease, outcome)
                        .chain(status -> status == null
                                ? recordedBefore(lease, outcome, end)
                                : Uni.createFrom().item(ended(lease, status, end)));
    }

    private Uni<@Nullable ExecutionStatus> record(HeldLease lease, Outcome outcome) {
        return results.record(lease.claim(), lease.workerId(), lease.resultSettings(), outcome)
                .map(transition -> transition == null ? null : status(transition));
    }

    private static ExecutionStatus status(Transition transition) {
        return switch (transition) {
            case Transition.Succeed _ -> ExecutionStatus.SUCCESS;
            case Transition.Fail _ -> ExecutionStatus.FAILED;
            case Transition.Defer _ -> ExecutionStatus.DEFERRED;
            default -> ExecutionStatus.RETRYING;
        };
    }

    private ExecutionStatus ended(HeldLease lease, ExecutionStatus status, LeaseEnd end) {
        if (held.ended(lease, status)) {
            metrics.ended(end);
        }
        return status;
    }

    /** It may have been reported twice at once, or the answer of the database was lost; null when neither is so. */
    private Uni<@Nullable ExecutionStatus> recordedBefore(HeldLease lease, Outcome outcome, LeaseEnd end) {
        var known = held.result(lease.token(), outcome instanceof Outcome.Deferred);
        if (known != null) {
            return Uni.createFrom().item(known);
        }
        return outcome instanceof Outcome.Interrupted(var preempted)
                ? released(lease, preempted, end)
                : results.recorded(lease.claim(), lease.workerId(), outcome)
                        .chain(status -> status == null
                                ? Uni.createFrom().nullItem()
                                : countLost(lease, outcome, status, end).replaceWith(status));
    }

    private Uni<@Nullable ExecutionStatus> released(HeldLease lease, boolean preempted, LeaseEnd end) {
        return mayHaveLostAnswer(lease)
                ? countIfRecorded(lease, new Transition.Interrupt(preempted))
                        .map(released -> released ? ended(lease, ExecutionStatus.RETRYING, end) : null)
                : Uni.createFrom().nullItem();
    }

    /** Counts an end that was recorded before; where its answer has come, it was counted then. */
    private Uni<Void> countLost(HeldLease lease, Outcome outcome, ExecutionStatus status, LeaseEnd end) {
        if (!held.ended(lease, status) || !mayHaveLostAnswer(lease)) {
            return Uni.createFrom().voidItem();
        }
        metrics.ended(end);
        return count(lease, outcome, status);
    }

    /** Ends those of some attempts whose time is over. */
    Uni<Void> endOverdue(Collection<HeldLease> some, long now) {
        var overdue = some.stream().filter(lease -> lease.isOverdue(now)).toList();
        return overdue.isEmpty()
                ? Uni.createFrom().voidItem()
                : Uni.join()
                        .all(overdue.stream().map(this::timeOut).toList())
                        .andFailFast()
                        .replaceWithVoid();
    }

    /**
     * Ends an attempt whose time is over, and tells its worker; returns false when the lease was lost. It is no answer
     * to its worker, who is told that it came too late.
     */
    private Uni<Boolean> timeOut(HeldLease lease) {
        var failure = new Failure(Failure.Type.TIMEOUT, "The attempt took longer than its timeout.");
        var outcome = new Outcome.RetryableFailure(failure, null);
        return record(lease, outcome)
                .chain(status -> status == null
                        ? timedOutBefore(lease, outcome)
                        : Uni.createFrom().item(true))
                .invoke(ended -> {
                    held.remove(lease);
                    if (ended) {
                        metrics.ended(LeaseEnd.TIMED_OUT);
                        held.cancel(lease, CancelReason.TIMED_OUT);
                    }
                });
    }

    private Uni<Boolean> timedOutBefore(HeldLease lease, Outcome outcome) {
        return mayHaveLostAnswer(lease)
                ? results.recorded(lease.claim(), lease.workerId(), outcome)
                        .chain(status -> status == null
                                ? Uni.createFrom().item(false)
                                : count(lease, outcome, status).replaceWith(true))
                : Uni.createFrom().item(false);
    }

    /** Whether the answer to a statement about this lease may have been lost. */
    private boolean mayHaveLostAnswer(HeldLease lease) {
        return records.mayHaveLostAnswerSince(lease.begunAt());
    }

    /** Counts the end of the execution, if it is one. Its worker gets its answer also when that fails. */
    private Uni<Void> count(HeldLease lease, Outcome outcome, ExecutionStatus status) {
        var result = finalResult(outcome, status);
        return result == null
                ? Uni.createFrom().voidItem()
                : countIfRecorded(lease, result).replaceWithVoid().onFailure().recoverWithNull();
    }

    private static @Nullable Transition finalResult(Outcome outcome, ExecutionStatus status) {
        return switch (outcome) {
            case Outcome.Succeeded(var output) -> new Transition.Succeed(output);
            case Outcome.RetryableFailure(var failure, var _)
            when status == ExecutionStatus.FAILED -> new Transition.Fail(failure.toJson());
            case Outcome.PermanentFailure(var failure, var _, var _)
            when status == ExecutionStatus.FAILED -> new Transition.Fail(failure.toJson());
            default -> null;
        };
    }

    /** Counts the result, and returns true, if it was recorded. */
    private Uni<Boolean> countIfRecorded(HeldLease lease, Transition result) {
        return records.wasRecorded(lease.claim(), lease.workerId(), result);
    }
}
