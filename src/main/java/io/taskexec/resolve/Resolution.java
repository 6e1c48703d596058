package io.taskexec.resolve;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.delivery.DeliveryExtras;
import io.taskexec.model.delivery.DispatchRequest;
import io.taskexec.model.endpoint.ApprovalSpec;
import io.taskexec.model.endpoint.OnWorkerLost;
import io.taskexec.model.endpoint.RetryPolicy;
import io.taskexec.model.endpoint.WorkflowSpec;
import io.taskexec.model.job.Failure;
import io.taskexec.model.wait.Completion;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The result of resolving an execution. */
public sealed interface Resolution {
    /**
     * It can be dispatched.
     *
     * @param reported whether a success is reported to another endpoint
     * @param preemptible whether the attempt gives up its slot to a waiting execution of priority 0
     * @param redact removes the secrets that went into the request from what comes back; {@link #NOTHING_SECRET}
     *     where there are none
     * @param extras the headers that the endpoint adds to the delivery
     * @param completion how the receiver may complete the attempt later; null when it may not
     */
    record Ready(
            DispatchRequest request,
            RetryPolicy policy,
            boolean reported,
            OnWorkerLost onWorkerLost,
            boolean preemptible,
            UnaryOperator<String> redact,
            DeliveryExtras extras,
            @Nullable Completion completion)
            implements Resolution {
        /** For a request without secrets. */
        public static final UnaryOperator<String> NOTHING_SECRET = text -> text;

        /** Without the request, which has secrets in it. */
        @Override
        public String toString() {
            return "Ready";
        }
    }

    /**
     * It is the run of a workflow.
     *
     * @param spec the graph; that of the job goes before it
     * @param input finds the input of a run that starts
     */
    record Workflow(WorkflowSpec spec, Supplier<Uni<JobInput>> input) implements Resolution {}

    /**
     * It asks a person.
     *
     * @param title of the question
     * @param details more than the title, if any
     */
    record Approval(
            ApprovalSpec spec, String title, @Nullable String details, RetryPolicy policy, boolean reported)
            implements Resolution {}

    /**
     * It is for a pull worker.
     *
     * @param parents the results of its parents as templates see them; null for none
     * @param timeout the longest that the attempt may take; null for any time
     * @param resultSettings by which its result is recorded
     */
    record Pulled(
            @Nullable JsonNode input,
            @Nullable JsonNode parents,
            @Nullable Duration timeout,
            boolean preemptible,
            ResultSettings resultSettings)
            implements Resolution {}

    /**
     * It cannot be resolved now. A stored part cannot be read by this process, and one of another version or with
     * another key may be able to, or there was no time to check its input.
     */
    record Unready(Failure failure) implements Resolution {}

    /** It is not to be dispatched: its condition does not hold. */
    record Skipped() implements Resolution {}

    /** It can never be dispatched: another attempt would fail in the same way. */
    record Impossible(Failure failure) implements Resolution {}
}
