package io.taskexec.wait;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.delivery.Transition;
import io.taskexec.model.delivery.Transitions;
import io.taskexec.resolve.ResultSettings;
import io.taskexec.store.execution.ResultRecorder;
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

    OutsideResults(ResultRecorder recorder, WorkflowRuns workflows) {
        this.recorder = recorder;
        this.workflows = workflows;
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
}
