package io.taskexec.client;

import io.taskexec.client.api.Endpoints;
import java.util.HashMap;
import java.util.Map;

/** Sets the retry policies that jobs ask for as they are created, each of an endpoint once. */
public final class RetryPolicies {
    private final Endpoints endpoints;
    private final Map<String, RetryPolicy> done = new HashMap<>();

    /**
     * Made by the client for each request.
     *
     * @param http sends its requests, as that of the jobs
     */
    public RetryPolicies(Http http) {
        this.endpoints = new Endpoints(http);
    }

    void set(String endpoint, RetryPolicy policy) {
        if (!policy.equals(done.put(endpoint, policy))) {
            endpoints.setRetryPolicy(endpoint, policy);
        }
    }
}
