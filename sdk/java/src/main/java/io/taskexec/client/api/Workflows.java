package io.taskexec.client.api;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.taskexec.client.Http;
import io.taskexec.client.Listing;
import io.taskexec.client.Query;
import io.taskexec.client.Request;
import io.taskexec.client.RetryPolicies;
import io.taskexec.client.WorkflowBuilder;
import io.taskexec.client.model.CreatedWorkflow;
import io.taskexec.client.model.Workflow;
import io.taskexec.client.model.WorkflowSummary;
import java.util.Map;

/** Runs of graphs of jobs. */
public final class Workflows {
    private final Http http;
    private final ObjectMapper data;

    /**
     * Made by the client.
     *
     * @param http sends its requests
     * @param data writes inputs
     */
    public Workflows(Http http, ObjectMapper data) {
        this.http = http;
        this.data = data;
    }

    /**
     * Creates a workflow. A random key is set where there is none.
     *
     * @param workflow the graph
     * @return its ids
     */
    public CreatedWorkflow create(WorkflowBuilder workflow) {
        return http.send(
                Request.post("workflows").body(workflow.completed(new RetryPolicies(http))), CreatedWorkflow.class);
    }

    /**
     * Runs a definition.
     *
     * @param definition its name
     * @param key the idempotency key
     * @param input the input of the run
     * @return its ids
     */
    public CreatedWorkflow run(String definition, String key, Object input) {
        var body = Map.of("definition", definition, "idempotency_key", key, "input", data.valueToTree(input));
        return http.send(Request.post("workflows").body(body), CreatedWorkflow.class);
    }

    /**
     * Lists runs.
     *
     * @param query the filters, or {@link Query#all()}
     * @return the list
     */
    public Listing<WorkflowSummary> list(Query query) {
        return http.list(Request.get("workflows").with(query), WorkflowSummary.class);
    }

    /**
     * Reads a run.
     *
     * @param id of the run
     * @return the run with its jobs
     */
    public Workflow get(String id) {
        return http.send(Request.get("workflows", id), Workflow.class);
    }

    /**
     * Cancels what has not begun of a run.
     *
     * @param id of the run
     * @return the run
     */
    public Workflow cancel(String id) {
        return http.send(Request.post("workflows", id, "cancel"), Workflow.class);
    }

    /**
     * Cancels all of a run.
     *
     * @param id of the run
     * @return the run
     */
    public Workflow cancelByForce(String id) {
        return http.send(Request.post("workflows", id, "cancel").with(Query.where("force", true)), Workflow.class);
    }

    /**
     * Runs the failed jobs of a run again, and all that depend on them.
     *
     * @param id of the run
     * @return the new run
     */
    public Workflow retry(String id) {
        return http.send(Request.post("workflows", id, "retry").once(), Workflow.class);
    }

    /**
     * Runs all jobs again.
     *
     * @param id of the run
     * @return the new run
     */
    public Workflow replay(String id) {
        return http.send(Request.post("workflows", id, "replay").once(), Workflow.class);
    }
}
