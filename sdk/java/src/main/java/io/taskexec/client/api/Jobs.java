package io.taskexec.client.api;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.client.Http;
import io.taskexec.client.JobBuilder;
import io.taskexec.client.Listing;
import io.taskexec.client.Query;
import io.taskexec.client.Request;
import io.taskexec.client.RetryPolicies;
import io.taskexec.client.model.BackfillResult;
import io.taskexec.client.model.Execution;
import io.taskexec.client.model.Job;
import io.taskexec.client.model.Tick;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Jobs, among them schedules, and timers by key. */
public final class Jobs {
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(60);

    private final Http http;

    /**
     * Made by the client.
     *
     * @param http sends its requests
     */
    public Jobs(Http http) {
        this.http = http;
    }

    /**
     * Creates a job. A random key is set where there is none.
     *
     * @param job the job
     * @return the job, or the one that has the key
     */
    public Job create(JobBuilder job) {
        var request = repeatable(Request.post("jobs"), List.of(job));
        return http.send(request.body(job.completed(new RetryPolicies(http))), Job.class);
    }

    /**
     * Creates a job, and waits until its execution has ended.
     *
     * @param job the job
     * @param wait the longest time; a minute counts at most
     * @return the job with its execution
     */
    public Job createAndWait(JobBuilder job, Duration wait) {
        var time = wait.compareTo(LONGEST_WAIT) < 0 ? Duration.ofMillis(wait.toMillis()) : LONGEST_WAIT;
        var request = Request.post("jobs").with(Query.where("wait", time)).waiting(time);
        var sent = repeatable(request, List.of(job)).body(job.completed(new RetryPolicies(http)));
        return http.send(sent, Job.class);
    }

    /**
     * Creates up to 1,000 jobs, each on its own.
     *
     * @param jobs the jobs; those with a {@code ref} can be named by others
     * @return for each its job or its error
     */
    public JsonNode createAll(Collection<JobBuilder> jobs) {
        var policies = new RetryPolicies(http);
        var body =
                Map.of("jobs", jobs.stream().map(job -> job.completed(policies)).toList());
        return http.send(repeatable(Request.post("jobs", "batch"), jobs).body(body), JsonNode.class);
    }

    /** A job that takes its key from another one would take it from itself the second time. */
    private static Request repeatable(Request request, Collection<JobBuilder> jobs) {
        var keepKeys =
                jobs.stream().allMatch(job -> "return".equals(job.fields().getOrDefault("on_conflict", "return")));
        return keepKeys ? request : request.once();
    }

    /**
     * Lists jobs.
     *
     * @param query the filters, or {@link Query#all()}
     * @return the list
     */
    public Listing<Job> list(Query query) {
        return http.list(Request.get("jobs").with(query), Job.class);
    }

    /**
     * Reads a job.
     *
     * @param id of the job
     * @return the job
     */
    public Job get(String id) {
        return http.send(Request.get("jobs", id), Job.class);
    }

    /**
     * Replaces a schedule by its next version.
     *
     * @param id of the job
     * @param fields of the schedule; absent ones get their defaults
     * @return the new version
     */
    public Job update(String id, Map<String, ?> fields) {
        return http.send(Request.of("PUT", "jobs", id).body(fields), Job.class);
    }

    /**
     * Changes fields of a schedule, or of a job that has not begun.
     *
     * @param id of the job
     * @param patch a JSON Merge Patch; {@code null} restores a default
     * @return the job as it is then
     */
    public Job patch(String id, Object patch) {
        return http.send(Request.of("PATCH", "jobs", id).body(patch), Job.class);
    }

    /**
     * Cancels a job that does not run.
     *
     * @param id of the job
     * @return the job
     */
    public Job cancel(String id) {
        return http.send(Request.post("jobs", id, "cancel"), Job.class);
    }

    /**
     * Cancels a job, also a running one.
     *
     * @param id of the job
     * @return the job
     */
    public Job cancelByForce(String id) {
        return http.send(Request.post("jobs", id, "cancel").with(Query.where("force", true)), Job.class);
    }

    /**
     * Reads how a job does.
     *
     * @param id of the job
     * @return health, counts and durations of 24 hours
     */
    public JsonNode status(String id) {
        return http.send(Request.get("jobs", id, "status"), JsonNode.class);
    }

    /**
     * Lists the executions of a job.
     *
     * @param id of the job
     * @param query the filters, or {@link Query#all()}
     * @return the list
     */
    public Listing<Execution> executions(String id, Query query) {
        return http.list(Request.get("jobs", id, "executions").with(query), Execution.class);
    }

    /**
     * Lists the versions of a schedule.
     *
     * @param id of the job
     * @return the list
     */
    public Listing<Job> versions(String id) {
        return http.list(Request.get("jobs", id, "versions"), Job.class);
    }

    /**
     * Lists the ticks of a schedule.
     *
     * @param id of the job
     * @param query the filters, or {@link Query#all()}
     * @return the list
     */
    public Listing<Tick> ticks(String id, Query query) {
        return http.list(Request.get("jobs", id, "ticks").with(query), Tick.class);
    }

    /**
     * Lists ticks of a schedule that have no line in its ledger; there should be none.
     *
     * @param id of the job
     * @param query the filters, or {@link Query#all()}
     * @return the list
     */
    public Listing<Instant> gaps(String id, Query query) {
        return http.list(Request.get("jobs", id, "gaps").with(query), Instant.class);
    }

    /**
     * Pauses a schedule.
     *
     * @param id of the job
     * @param reason shown with it
     * @return the job
     */
    public Job pause(String id, String reason) {
        return http.send(Request.post("jobs", id, "pause").body(Map.of("reason", reason)), Job.class);
    }

    /**
     * Pauses a schedule for some time.
     *
     * @param id of the job
     * @param until its end
     * @param reason shown with it
     * @return the job
     */
    public Job pause(String id, Instant until, String reason) {
        var body = Map.of("until", until, "reason", reason);
        return http.send(Request.post("jobs", id, "pause").body(body), Job.class);
    }

    /**
     * Ends the pause of a schedule.
     *
     * @param id of the job
     * @return the job
     */
    public Job resume(String id) {
        return http.send(Request.post("jobs", id, "resume"), Job.class);
    }

    /**
     * Runs a job now: a schedule once more, a delayed job earlier.
     *
     * @param id of the job
     * @return the execution
     */
    public Execution trigger(String id) {
        return http.send(Request.post("jobs", id, "trigger").once(), Execution.class);
    }

    /**
     * Fires the ticks of a past time that have not fired.
     *
     * @param id of the job
     * @param from the begin
     * @param to the end
     * @return how many
     */
    public BackfillResult backfill(String id, Instant from, Instant to) {
        var body = Map.of("from", from, "to", to);
        return http.send(Request.post("jobs", id, "backfill").body(body), BackfillResult.class);
    }

    /**
     * Finds a job by its key.
     *
     * @param endpoint where it goes to
     * @param key its idempotency key
     * @return the job
     */
    public Job getByKey(String endpoint, String key) {
        return http.send(Request.get(byKey(endpoint, key)), Job.class);
    }

    /**
     * Changes a job by its key.
     *
     * @param endpoint where it goes to
     * @param key its idempotency key
     * @param patch a JSON Merge Patch
     * @return the job as it is then
     */
    public Job patchByKey(String endpoint, String key, Object patch) {
        return http.send(Request.of("PATCH", byKey(endpoint, key)).body(patch), Job.class);
    }

    /**
     * Cancels a job by its key, and frees the key.
     *
     * @param endpoint where it goes to
     * @param key its idempotency key
     * @return the job
     */
    public Job cancelByKey(String endpoint, String key) {
        return http.send(Request.of("DELETE", byKey(endpoint, key)), Job.class);
    }

    /**
     * Shows the next ticks of a schedule that need not exist.
     *
     * @param fields such as {@code cron}, {@code timezone} and {@code count}
     * @return a description and the ticks
     */
    public JsonNode preview(Map<String, ?> fields) {
        return http.send(Request.post("schedules", "preview").body(fields), JsonNode.class);
    }

    private static String[] byKey(String endpoint, String key) {
        return new String[] {"endpoints", endpoint, "keys", key};
    }
}
