package io.taskexec.workflow;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.PublicId;
import io.taskexec.model.endpoint.EndpointType;
import io.taskexec.model.endpoint.WorkflowSpec;
import io.taskexec.model.job.Execution;
import io.taskexec.model.job.Job;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Lookup;
import io.taskexec.store.endpoint.EndpointStore;
import io.taskexec.store.execution.ExecutionStore;
import io.taskexec.store.job.JobStore;
import io.taskexec.store.workflow.RunStore;
import jakarta.inject.Singleton;
import java.util.UUID;

/** Reads runs of workflows with their jobs. */
@Singleton
public final class RunReader {
    private final ExecutionStore executions;
    private final JobStore jobs;
    private final EndpointStore endpoints;
    private final RunStore runs;

    RunReader(ExecutionStore executions, JobStore jobs, EndpointStore endpoints, RunStore runs) {
        this.executions = executions;
        this.jobs = jobs;
        this.endpoints = endpoints;
        this.runs = runs;
    }

    /** The run with this public id; fails with WORKFLOW_NOT_FOUND. */
    public Uni<RunView> find(String id) {
        var run = Lookup.found(PublicId.WORKFLOW.parse(id), ErrorCode.WORKFLOW_NOT_FOUND, id);
        return executions
                .find(run)
                .map(execution ->
                        execution == null || execution.endpointType() != EndpointType.WORKFLOW ? null : execution)
                .map(execution -> Lookup.found(execution, ErrorCode.WORKFLOW_NOT_FOUND, id))
                .chain(execution -> jobs.find(execution.jobId())
                        .map(job -> Lookup.found(job, ErrorCode.WORKFLOW_NOT_FOUND, id))
                        .chain(job -> spec(job, execution).chain(spec -> view(run, execution, job, spec))));
    }

    private Uni<WorkflowSpec> spec(Job job, Execution execution) {
        var inline = job.options().workflow();
        return inline != null
                ? Uni.createFrom().item(inline.spec())
                : endpoints.find(job.endpoint(), execution.endpointVersion()).map(endpoint -> {
                    if (endpoint != null && endpoint.spec() instanceof WorkflowSpec spec) {
                        return spec;
                    }
                    throw new IllegalStateException(
                            "version %d of %s is no workflow".formatted(execution.endpointVersion(), job.endpoint()));
                });
    }

    private Uni<RunView> view(UUID id, Execution execution, Job job, WorkflowSpec spec) {
        return runs.find(id).chain(run -> runs.nodes(id).map(nodes -> new RunView(execution, job, spec, run, nodes)));
    }
}
