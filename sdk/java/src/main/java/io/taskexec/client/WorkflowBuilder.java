package io.taskexec.client;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.taskexec.client.model.CreatedWorkflow;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/** A graph of jobs that is stored whole. {@link Taskexec#workflow} makes one; {@link #start()} sends it. */
public final class WorkflowBuilder extends TriggeredFields<WorkflowBuilder> {
    private final Taskexec client;
    private final Map<String, JobBuilder> jobs = new LinkedHashMap<>();

    WorkflowBuilder(Taskexec client, ObjectMapper data) {
        super(data);
        this.client = client;
    }

    @Override
    WorkflowBuilder self() {
        return this;
    }

    /**
     * Adds a job that waits for nothing.
     *
     * @param name its name in the graph
     * @param task what it runs
     * @return this
     */
    public WorkflowBuilder task(String name, Task task) {
        return task(name, task, job -> {});
    }

    /**
     * Adds a job.
     *
     * @param name its name in the graph
     * @param task what it runs
     * @param more what else it has, such as {@code job -> job.dependsOn("upload")}
     * @return this
     */
    public WorkflowBuilder task(String name, Task task, Consumer<JobBuilder> more) {
        return job(name, client.task(task), more);
    }

    /**
     * Adds a job of any endpoint.
     *
     * @param name its name in the graph
     * @param endpoint where it goes to
     * @param more what else it has, such as {@code job -> job.input(file).dependsOn("upload")}
     * @return this
     */
    public WorkflowBuilder job(String name, String endpoint, Consumer<JobBuilder> more) {
        return job(name, client.job(endpoint), more);
    }

    @Override
    void applyRetryPolicy(RetryPolicies policies) {
        jobs.values().forEach(job -> job.applyRetryPolicy(policies));
    }

    private WorkflowBuilder job(String name, JobBuilder job, Consumer<JobBuilder> more) {
        more.accept(job);
        jobs.put(name, job);
        return set("jobs", jobs);
    }

    /**
     * Cancels what has not begun when a job has failed.
     *
     * @return this
     */
    public WorkflowBuilder failFast() {
        return set("failure_policy", "fail_fast");
    }

    /**
     * Bounds a run.
     *
     * @param time from its start on
     * @return this
     */
    public WorkflowBuilder deadline(Duration time) {
        return set("deadline", time);
    }

    /**
     * Creates the workflow.
     *
     * @return its ids
     * @throws TaskexecException when it is refused
     */
    public CreatedWorkflow start() {
        return client.workflows().create(this);
    }
}
