package io.taskexec.wait;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.delivery.Transition;
import io.taskexec.model.delivery.Transitions;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.model.job.Failure;
import io.taskexec.resolve.ResultSettings;
import io.taskexec.store.execution.ResultRecorder;
import io.taskexec.store.wait.CallbackRecordStore;
import io.taskexec.store.wait.CallbackRecordStore.CallbackRecord;
import io.taskexec.workflow.WorkflowRuns;
import jakarta.inject.Singleton;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** Records the results of attempts that no worker of this process runs, as a worker does. */
@Singleton
public final class OutsideResults {
    private final ResultRecorder recorder;
    private final WorkflowRuns workflows;
    private final CallbackRecordStore records;

    OutsideResults(ResultRecorder recorder, WorkflowRuns workflows, CallbackRecordStore records) {
        this.recorder = recorder;
        this.workflows = workflows;
        this.records = records;
    }

    /** Records an outcome; returns what was recorded, or null when the lease was lost. */
    public Uni<@Nullable Transition> record(
            Claim claim, UUID workerId, ResultSettings resultSettings, Outcome outcome) {
        var jitter = ThreadLocalRandom.current().nextDouble();
        var next = Transitions.next(claim, resultSettings.policy(), outcome, jitter);
        var transition = next instanceof Transition.Succeed(var output, var _) && resultSettings.reported()
                ? new Transition.Succeed(output, true)
                : next;
        return recorder.record(claim, workerId, transition).map(recorded -> {
            if (recorded && transition instanceof Transition.Fail) {
                workflows.failed(claim);
            }
            return recorded ? transition : null;
        });
    }

    /**
     * Finds what an outcome has made of an execution when it was recorded before, of the same attempt and worker, since
     * the answer was lost then; returns null when it was not. An interruption is not asked for here: the release of a
     * lease finds it among the attempts.
     */
    public Uni<@Nullable ExecutionStatus> recorded(Claim claim, UUID workerId, Outcome outcome) {
        return records.find(claim.executionId(), claim.attempt())
                .<@Nullable ExecutionStatus>map(
                        found -> found.isEmpty() ? null : recorded(found.get(), claim.attempt(), workerId, outcome))
                .invoke(status -> {
                    if (status == ExecutionStatus.FAILED) {
                        workflows.failed(claim);
                    }
                });
    }

    private static @Nullable ExecutionStatus recorded(
            CallbackRecord record, int attempt, UUID workerId, Outcome outcome) {
        var isLatest = record.latestAttempt() == attempt;
        var isOfWorker = workerId.equals(record.workerId());
        return switch (outcome) {
            case Outcome.Succeeded(var output)
            when isLatest && isOfWorker && "SUCCESS".equals(record.status()) && output.equals(record.output()) ->
                ExecutionStatus.SUCCESS;
            case Outcome.RetryableFailure(var failure, var _) when isOfWorker -> failed(record, isLatest, failure);
            case Outcome.PermanentFailure(var failure, var _, var _)
            when isOfWorker -> failed(record, isLatest, failure);
            case Outcome.Deferred _ when isLatest && record.isDeferred() -> ExecutionStatus.DEFERRED;
            default -> null;
        };
    }

    private static @Nullable ExecutionStatus failed(CallbackRecord record, boolean isLatest, Failure failure) {
        var error = failure.toJson();
        if (record.hasFailed()) {
            return error.equals(record.attemptError()) ? ExecutionStatus.RETRYING : null;
        }
        return isLatest && "FAILED".equals(record.status()) && error.equals(record.error())
                ? ExecutionStatus.FAILED
                : null;
    }
}
