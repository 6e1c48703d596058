package io.taskexec.client.worker;

import io.taskexec.client.EndpointBuilder;
import io.taskexec.client.RetryPolicy;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Options of a type of tasks.
 *
 * @param <T> the tasks
 */
public final class HandlerOptions<T> {
    private boolean isOnCpu;
    private @Nullable Function<T, Footprint> footprint;
    private Consumer<EndpointBuilder> endpoint = fields -> {};

    HandlerOptions() {}

    /**
     * Runs them on the pool for what computes, of as many threads as there are processors.
     *
     * @return this
     */
    public HandlerOptions<T> onCpu() {
        isOnCpu = true;
        return this;
    }

    /**
     * Says what a task reads, writes and transfers. Tasks with a footprint begin only as the disk, the network and the
     * processors have room for them.
     *
     * @param expected of a task
     * @return this
     */
    public HandlerOptions<T> footprint(Function<T, Footprint> expected) {
        footprint = expected;
        return this;
    }

    /**
     * Sets how failures are retried, when the worker registers the endpoint.
     *
     * @param policy the policy
     * @return this
     */
    public HandlerOptions<T> retry(RetryPolicy policy) {
        return endpoint(fields -> fields.retry(policy));
    }

    /**
     * Sets fields of the endpoint, when the worker registers it.
     *
     * @param fields sets them
     * @return this
     */
    public HandlerOptions<T> endpoint(Consumer<EndpointBuilder> fields) {
        endpoint = endpoint.andThen(fields);
        return this;
    }

    boolean isOnCpu() {
        return isOnCpu;
    }

    @Nullable
    Function<T, Footprint> footprint() {
        return footprint;
    }

    EndpointBuilder endpoint(String name) {
        var fields = EndpointBuilder.worker(name);
        endpoint.accept(fields);
        return fields;
    }
}
