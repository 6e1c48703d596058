package io.taskexec.client.api;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.client.CallbackRequest;
import io.taskexec.client.Http;
import io.taskexec.client.Listing;
import io.taskexec.client.Query;
import io.taskexec.client.Request;
import io.taskexec.client.model.Attempt;
import io.taskexec.client.model.CallbackResult;
import io.taskexec.client.model.Execution;
import io.taskexec.client.model.Explanation;
import io.taskexec.client.model.LogEntry;
import io.taskexec.client.model.Operation;
import java.time.Duration;
import java.util.Map;

/** Executions: single firings of jobs. */
public final class Executions {
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(60);

    /** A server that does not wait is asked no more often. */
    private static final Duration BETWEEN_POLLS = Duration.ofMillis(200);

    private final Http http;

    /**
     * Made by the client.
     *
     * @param http sends its requests
     */
    public Executions(Http http) {
        this.http = http;
    }

    /**
     * Lists executions.
     *
     * @param query the filters, or {@link Query#all()}
     * @return the list
     */
    public Listing<Execution> list(Query query) {
        return http.list(Request.get("executions").with(query), Execution.class);
    }

    /**
     * Reads an execution.
     *
     * @param id of the execution
     * @return the execution
     */
    public Execution get(String id) {
        return http.send(Request.get("executions", id), Execution.class);
    }

    /**
     * Waits for a change of the status, the attempt or the progress.
     *
     * @param id of the execution
     * @param wait at most a minute
     * @return the execution, as it is then
     */
    public Execution poll(String id, Duration wait) {
        return http.send(
                Request.get("executions", id).with(Query.where("wait", wait)).waiting(wait), Execution.class);
    }

    /**
     * Waits until an execution has ended.
     *
     * @param id of the execution
     * @param timeout the longest time to wait
     * @return the execution, which may not have ended
     */
    public Execution await(String id, Duration timeout) {
        var end = System.nanoTime() + timeout.toNanos();
        var execution = get(id);
        while (!execution.hasEnded()) {
            var now = System.nanoTime();
            var rest = Duration.ofNanos(end - now);
            if (rest.toMillis() < 1) {
                break;
            }
            execution = poll(id, rest.compareTo(LONGEST_WAIT) < 0 ? Duration.ofMillis(rest.toMillis()) : LONGEST_WAIT);
            if (!execution.hasEnded()) {
                sleepUntil(Math.min(end, now + BETWEEN_POLLS.toNanos()));
            }
        }
        return execution;
    }

    private static void sleepUntil(long nanoTime) {
        try {
            Thread.sleep(Math.max(0, (nanoTime - System.nanoTime()) / 1_000_000));
        } catch (InterruptedException e) {
            // The next request says so.
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Lists the attempts of an execution, oldest first.
     *
     * @param id of the execution
     * @return the list
     */
    public Listing<Attempt> attempts(String id) {
        return http.list(Request.get("executions", id, "attempts"), Attempt.class);
    }

    /**
     * Lists the log of an execution, oldest first.
     *
     * @param id of the execution
     * @return the list
     */
    public Listing<LogEntry> logs(String id) {
        return http.list(Request.get("executions", id, "logs"), LogEntry.class);
    }

    /**
     * Says why an execution runs or does not run.
     *
     * @param id of the execution
     * @return the reasons
     */
    public Explanation explain(String id) {
        return http.send(Request.get("executions", id, "explain"), Explanation.class);
    }

    /**
     * Makes the HTTP request of an execution again, without its secrets.
     *
     * @param id of the execution
     * @return the request
     */
    public JsonNode request(String id) {
        return http.send(Request.get("executions", id, "request"), JsonNode.class);
    }

    /**
     * Cancels an execution that does not run.
     *
     * @param id of the execution
     * @return the execution
     */
    public Execution cancel(String id) {
        return http.send(Request.post("executions", id, "cancel"), Execution.class);
    }

    /**
     * Cancels an execution, also a running one.
     *
     * @param id of the execution
     * @return the execution
     */
    public Execution cancelByForce(String id) {
        return http.send(Request.post("executions", id, "cancel").with(Query.where("force", true)), Execution.class);
    }

    /**
     * Replays an execution that has ended.
     *
     * @param id of the execution
     * @return the new execution
     */
    public Execution retry(String id) {
        return http.send(Request.post("executions", id, "retry").once(), Execution.class);
    }

    /**
     * Says for a receiver how the latest attempt of an execution is.
     *
     * @param id of the execution
     * @param callback what to say
     * @return what is recorded
     */
    public CallbackResult callback(String id, CallbackRequest callback) {
        return http.send(Request.post("executions", id, "callback").body(callback), CallbackResult.class);
    }

    /**
     * Shows what a bulk operation would change.
     *
     * @param action {@code retry} or {@code cancel}
     * @param filter filters, as in {@link #list}
     * @return a count and a sample
     */
    public JsonNode preview(String action, Map<String, ?> filter) {
        var body = Map.of("action", action, "filter", filter, "dry_run", true);
        return http.send(Request.post("executions", "bulk").body(body), JsonNode.class);
    }

    /**
     * Begins a bulk operation.
     *
     * @param action {@code retry} or {@code cancel}
     * @param filter filters, as in {@link #list}
     * @return the operation
     */
    public Operation change(String action, Map<String, ?> filter) {
        var body = Map.of("action", action, "filter", filter);
        return http.send(Request.post("executions", "bulk").body(body).once(), Operation.class);
    }
}
