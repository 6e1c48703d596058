package io.taskexec.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A new endpoint, or what an endpoint becomes. */
public final class EndpointBuilder extends Fields<EndpointBuilder> {
    private EndpointBuilder() {}

    /**
     * Begins an endpoint that is called.
     *
     * @param name its name
     * @param url a template
     * @param method such as {@code POST}
     * @return the endpoint
     */
    public static EndpointBuilder http(String name, String url, String method) {
        return of(name, "HTTP", Map.of("url", url, "method", method));
    }

    /**
     * Begins an endpoint whose tasks workers lease.
     *
     * @param name its name
     * @return the endpoint
     */
    public static EndpointBuilder worker(String name) {
        return of(name, "WORKER", Map.of());
    }

    /**
     * Begins an endpoint of any type.
     *
     * @param name its name
     * @param type such as {@code KAFKA}
     * @param spec what the type needs
     * @return the endpoint
     */
    public static EndpointBuilder of(String name, String type, Map<String, ?> spec) {
        return new EndpointBuilder().set("name", name).set("type", type).set("spec", spec);
    }

    @Override
    EndpointBuilder self() {
        return this;
    }

    /**
     * Sets how failures are retried.
     *
     * @param policy the policy
     * @return this
     */
    public EndpointBuilder retry(RetryPolicy policy) {
        return set("retry_policy", policy);
    }

    /**
     * Sets the queue, which is created when it does not exist.
     *
     * @param name of the queue
     * @return this
     */
    public EndpointBuilder queue(String name) {
        return set("queue", name);
    }

    /**
     * Caps how many executions run at once.
     *
     * @param count over all workers
     * @return this
     */
    public EndpointBuilder maxConcurrency(int count) {
        return set("flow", Map.of("max_concurrency", count));
    }

    /**
     * Lets receivers and handlers say later how an attempt ends.
     *
     * @param timeout the longest time
     * @return this
     */
    public EndpointBuilder callbacks(Duration timeout) {
        return set("completion", Map.of("modes", List.of("callback"), "timeout", timeout));
    }
}
