package io.taskexec.model.endpoint;

import io.taskexec.model.flow.FlowPolicy;
import io.taskexec.model.queue.Queue;
import io.taskexec.model.wait.Completion;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One immutable version of a registered delivery target.
 *
 * @param version counts from 1 per name and never repeats, not even after a delete
 * @param payloadSpec name of the payload spec that inputs must satisfy, if any
 * @param config name of the config behind {@code {{config.*}}}, if any
 * @param queue where its jobs wait
 * @param preemptible whether its running executions give up their slots to waiting ones of priority 0
 * @param flow the limits of its executions, if any
 * @param completion how receivers may complete attempts later; null when they may not
 * @param createdAt when the first version was registered
 * @param updatedAt when this version was registered
 */
public record Endpoint(
        String name,
        int version,
        @Nullable String payloadSpec,
        @Nullable String config,
        Queue queue,
        EndpointSpec spec,
        RetryPolicy retryPolicy,
        Callbacks callbacks,
        OnWorkerLost onWorkerLost,
        boolean preemptible,
        @Nullable FlowPolicy flow,
        @Nullable Completion completion,
        Instant createdAt,
        Instant updatedAt) {
    /** The transport. */
    public EndpointType type() {
        return spec.type();
    }
}
