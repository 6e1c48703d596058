package io.taskexec.client.api;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.client.Http;
import io.taskexec.client.Request;
import io.taskexec.client.model.LeaseBatch;
import io.taskexec.client.model.LeaseResult;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The leases of workers. {@link io.taskexec.client.worker.Worker} does all of this. */
public final class Leases {
    private static final int LEAST_URGENT = 7;

    private final Http http;

    /**
     * Made by the client.
     *
     * @param http sends its requests
     */
    public Leases(Http http) {
        this.http = http;
    }

    /**
     * Asks for tasks.
     *
     * @param worker the name of the process
     * @param endpoints whose tasks
     * @param max how many, at most 500
     * @param wait how long to wait for the first one, at most a minute
     * @param lease how long they are leased for
     * @return leases, which may be none
     */
    public LeaseBatch acquire(String worker, Collection<String> endpoints, int max, Duration wait, Duration lease) {
        return acquire(worker, endpoints, max, wait, lease, LEAST_URGENT);
    }

    /**
     * Asks for tasks that are urgent enough.
     *
     * @param worker the name of the process
     * @param endpoints whose tasks
     * @param max how many, at most 500
     * @param wait how long to wait for the first one, at most a minute
     * @param lease how long they are leased for
     * @param leastUrgent the highest number of a priority that is wanted, from 0, the most urgent, to 7
     * @return leases, which may be none
     */
    public LeaseBatch acquire(
            String worker, Collection<String> endpoints, int max, Duration wait, Duration lease, int leastUrgent) {
        var body = new LinkedHashMap<String, Object>();
        body.put("worker", worker);
        body.put("endpoints", endpoints);
        body.put("max", max);
        body.put("wait", wait);
        body.put("lease", lease);
        if (leastUrgent < LEAST_URGENT) {
            body.put("least_urgent", leastUrgent);
        }
        return http.send(Request.post("leases").body(body).waiting(wait), LeaseBatch.class);
    }

    /**
     * Waits until the worker is to stop a task, as long as it has no room for more.
     *
     * @param worker the name of the process
     * @param endpoints whose tasks it runs
     * @param wait how long, at most a minute
     * @return no leases
     */
    public LeaseBatch awaitCancellations(String worker, Collection<String> endpoints, Duration wait) {
        var body = Map.of("worker", worker, "endpoints", endpoints, "wait", wait, "full", true);
        return http.send(Request.post("leases").body(body).waiting(wait), LeaseBatch.class);
    }

    /**
     * Extends leases.
     *
     * @param lease from now on
     * @param progress by the tokens of the leases, at most 500; null without news
     * @return a result for each
     */
    public List<LeaseResult> extend(Duration lease, Map<String, @Nullable Progress> progress) {
        var items = progress.entrySet().stream()
                .map(entry -> item(entry.getKey(), "progress", entry.getValue()))
                .toList();
        return send("extend", Map.of("lease", lease, "leases", items));
    }

    /**
     * Progress of a task.
     *
     * @param current how much is done
     * @param total of so much, if that is known
     * @param message for people
     */
    public record Progress(
            double current,
            @Nullable Double total,
            @Nullable String message) {}

    /**
     * A failure of a task.
     *
     * @param message why
     * @param code for programs
     * @param permanent whether no other attempt may follow
     * @param retryAfter how long to wait before the next one
     */
    public record TaskError(
            String message,
            @Nullable String code,
            boolean permanent,
            @Nullable Duration retryAfter) {}

    /**
     * Ends attempts with success.
     *
     * @param outputs by the tokens of the leases, at most 500
     * @return a result for each
     */
    public List<LeaseResult> complete(Map<String, @Nullable JsonNode> outputs) {
        return send("complete", items(outputs, "output"));
    }

    /**
     * Ends attempts with failures.
     *
     * @param errors by the tokens of the leases, at most 500
     * @return a result for each
     */
    public List<LeaseResult> fail(Map<String, TaskError> errors) {
        return send("fail", items(errors, "error"));
    }

    /**
     * Defers attempts: a callback says how they end.
     *
     * @param timeouts by the tokens of the leases, at most 500; null for that of the endpoint
     * @return a result for each
     */
    public List<LeaseResult> defer(Map<String, @Nullable Duration> timeouts) {
        return send("defer", items(timeouts, "timeout"));
    }

    /**
     * Hands attempts back. They are due at once, and it counts as no failure.
     *
     * @param leases tokens, at most 500
     * @return a result for each
     */
    public List<LeaseResult> release(Collection<String> leases) {
        var items = leases.stream().map(lease -> item(lease, "lease", lease)).toList();
        return send("release", Map.of("leases", items));
    }

    private static <V extends @Nullable Object> Map<String, Object> items(Map<String, V> values, String field) {
        return Map.of(
                "leases",
                values.entrySet().stream()
                        .map(entry -> item(entry.getKey(), field, entry.getValue()))
                        .toList());
    }

    private static Map<String, Object> item(String lease, String field, @Nullable Object value) {
        var item = new LinkedHashMap<String, Object>();
        item.put("lease", lease);
        if (value != null) {
            item.put(field, value);
        }
        return item;
    }

    private List<LeaseResult> send(String action, Map<String, Object> body) {
        return http.send(Request.post("leases", action).body(body), Results.class)
                .results();
    }

    /** The answer of all but {@link #acquire}. */
    private record Results(List<LeaseResult> results) {}
}
