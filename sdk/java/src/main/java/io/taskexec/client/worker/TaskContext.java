package io.taskexec.client.worker;

import io.taskexec.client.model.ExecutionStatus;
import io.taskexec.client.model.Lease;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** A handler's view of the task that it runs. */
public interface TaskContext {
    /**
     * Returns all that is known about the attempt.
     *
     * @return the lease, with ids, priority, tags and times
     */
    Lease lease();

    /**
     * Returns the id of the execution, the same in each attempt. It makes a good idempotency key.
     *
     * @return the id
     */
    default String executionId() {
        return lease().executionId();
    }

    /**
     * Returns the number of the attempt.
     *
     * @return from 1 on
     */
    default int attempt() {
        return lease().attempt();
    }

    /**
     * Tells whether the work should end: it was cancelled, its time is over, a more urgent task needs its place, the
     * worker stops, or another worker has the task. The thread is interrupted as well.
     *
     * @return whether the handler should end
     */
    boolean isCancelled();

    /**
     * Reports how far the work is. Reports are sent once a second at most, the latest one wins.
     *
     * @param current how much is done, at least 0; more than the total counts as the total
     * @param total of so much, at most 10<sup>15</sup>
     * @throws IllegalArgumentException when one of them is infinite or no number
     */
    default void progress(double current, double total) {
        progress(current, total, null);
    }

    /**
     * Reports how far the work is, as {@link #progress(double, double)}.
     *
     * @param current how much is done
     * @param total of so much
     * @param message for people, of which the first 1,024 characters are sent; null for none
     */
    default void progress(double current, double total, @Nullable String message) {
        progress(current, Double.valueOf(total), message);
    }

    /**
     * Reports how far the work is, as {@link #progress(double, double)}.
     *
     * @param current how much is done
     * @param total of so much; null when that is not known
     * @param message for people, of which the first 1,024 characters are sent; null for none
     */
    void progress(double current, @Nullable Double total, @Nullable String message);

    /**
     * Returns where others can say how a deferred task ends, by {@code POST}.
     *
     * @return the address; null when the endpoint has no callbacks
     */
    default @Nullable String callbackUrl() {
        return lease().callbackUrl();
    }

    /**
     * Defers the task: when the handler returns, the execution waits for a callback, without a place in this worker.
     *
     * @param timeout how long; null for the timeout of the endpoint
     */
    void defer(@Nullable Duration timeout);

    /**
     * Returns how the jobs have ended that this one has waited for.
     *
     * @return by the names that they have there, or their ids
     */
    default Map<String, Lease.Parent> parents() {
        var parents = lease().parents();
        return parents == null ? Map.of() : parents;
    }

    /**
     * Returns the parents that have not succeeded. With a trigger rule such as {@code all_done} there may be some.
     *
     * @return their names
     */
    default List<String> failedParents() {
        return parents().entrySet().stream()
                .filter(parent -> parent.getValue().status() != ExecutionStatus.SUCCESS)
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
    }

    /**
     * Fails the execution unless all parents have succeeded.
     *
     * @throws PermanentException with the code {@code DEPENDENCY_FAILED}
     */
    default void requireParents() {
        var failed = failedParents();
        if (!failed.isEmpty()) {
            throw new PermanentException(
                    "These have not succeeded: " + String.join(", ", failed), "DEPENDENCY_FAILED", null);
        }
    }

    /**
     * Returns what the handlers of a worker share.
     *
     * @param type of it
     * @param <S> the same
     * @return as it was given to the worker
     * @throws IllegalStateException when the worker has none of the type
     */
    <S> S state(Class<S> type);

    /**
     * Computes something on the pool for it, so that no more threads compute than there are processors.
     *
     * @param work what to compute
     * @param <R> the result
     * @return the result
     * @throws Exception what it throws
     */
    <R extends @Nullable Object> R onCpu(Callable<R> work) throws Exception;
}
