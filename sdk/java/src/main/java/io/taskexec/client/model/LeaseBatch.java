package io.taskexec.client.model;

import java.util.List;
import java.util.Objects;

/**
 * The answer to a worker.
 *
 * @param leases at most as many as it has asked for
 * @param cancelled leases that it holds, and whose work should end
 */
public record LeaseBatch(List<Lease> leases, List<Cancelled> cancelled) {
    /** Has empty lists for absent ones. */
    public LeaseBatch {
        leases = Objects.requireNonNullElse(leases, List.of());
        cancelled = Objects.requireNonNullElse(cancelled, List.of());
    }

    /**
     * A lease whose execution has another fate.
     *
     * @param lease its token
     * @param executionId the execution
     * @param reason {@code CANCELLED}, {@code PREEMPTED} or {@code TIMED_OUT}
     */
    public record Cancelled(String lease, String executionId, String reason) {}
}
