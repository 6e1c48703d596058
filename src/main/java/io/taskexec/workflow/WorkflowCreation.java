package io.taskexec.workflow;

import io.smallrye.mutiny.Uni;
import io.taskexec.job.CheckTime;
import io.taskexec.job.GraphFields;
import io.taskexec.job.JobCreation;
import io.taskexec.job.JobCreation.RunRequest;
import io.taskexec.job.RegisteredEndpoints;
import io.taskexec.job.WorkflowJobs;
import io.taskexec.model.TraceContext;
import io.taskexec.model.endpoint.EndpointType;
import io.taskexec.model.endpoint.WorkflowFields;
import io.taskexec.model.endpoint.WorkflowSpec;
import io.taskexec.model.job.JobOptions.Workflow;
import io.taskexec.request.ApiException;
import io.taskexec.request.ApiException.Detail;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Fields;
import io.taskexec.store.workflow.RunStore;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Checks requests for runs of workflows and creates the jobs whose executions these are. */
@Singleton
public final class WorkflowCreation {
    private static final List<String> OF_GRAPH =
            List.of("name", "failure_policy", "deadline", "on_success", "on_failure");

    private static final String UNNAMED = "workflow";

    private final JobCreation creation;
    private final RegisteredEndpoints endpoints;
    private final WorkflowJobs jobs;
    private final RunStore runs;

    WorkflowCreation(JobCreation creation, RegisteredEndpoints endpoints, WorkflowJobs jobs, RunStore runs) {
        this.creation = creation;
        this.endpoints = endpoints;
        this.jobs = jobs;
        this.runs = runs;
    }

    /**
     * The job of a run, or of a schedule of runs.
     *
     * @param name of the run
     */
    public record Created(JobCreation.Outcome outcome, String name) {}

    /**
     * Creates the run, or the schedule of runs, that a request's body describes; fails with an {@link ApiException}.
     *
     * @param trace what the request belongs to
     * @param time what is left to the request for checks
     * @param dryRun whether it is only tried
     */
    public Uni<Created> create(
            Fields fields, @Nullable String headerKey, @Nullable TraceContext trace, CheckTime time, boolean dryRun) {
        var definition = fields.optionalName("definition");
        if ((definition != null) == fields.has("jobs")) {
            fields.violation("jobs", "or 'definition', exactly one of them, is required");
            fields.check();
        }
        var run = definition == null ? inline(fields, time) : defined(fields, definition);
        var inline = run.inline();
        var name = inline == null ? run.endpoint() : inline.name();
        return creation.createWorkflow(fields, run, headerKey, trace, time, dryRun)
                .chain(outcome -> {
                    var created = new Created(outcome, name);
                    return dryRun || !outcome.isOneShot()
                            ? Uni.createFrom().item(created)
                            : runs.note(outcome.id(), outcome.id(), name).replaceWith(created);
                });
    }

    private RunRequest inline(Fields fields, CheckTime time) {
        var name = fields.optionalText("name");
        if (name != null && !WorkflowFields.JOB_NAME.matches(name)) {
            fields.violation("name", "must be 1 to 63 letters, digits, hyphens and underscores");
        }
        var spec = GraphFields.read(fields);
        var inline = new Workflow(
                name == null ? UNNAMED : name,
                spec,
                fields.optionalName("on_success"),
                fields.optionalName("on_failure"));
        fields.check();
        return new RunRequest(
                WorkflowSpec.INLINE,
                inline,
                () -> jobs.check(spec, fields.pointer("jobs"), time)
                        .chain(() -> checkCallback(fields, "on_success", inline.onSuccess()))
                        .chain(() -> checkCallback(fields, "on_failure", inline.onFailure())));
    }

    private Uni<Void> checkCallback(Fields fields, String field, @Nullable String name) {
        return name == null
                ? Uni.createFrom().voidItem()
                : endpoints
                        .find(name)
                        .invoke(found -> {
                            if (found == null) {
                                throw new ApiException(
                                        ErrorCode.ENDPOINT_NOT_FOUND,
                                        "'%s' does not exist.".formatted(name),
                                        List.of(new Detail(
                                                fields.pointer(field), "must name an endpoint that exists")));
                            }
                        })
                        .replaceWithVoid();
    }

    private RunRequest defined(Fields fields, String definition) {
        Stream.concat(Stream.of("jobs"), OF_GRAPH.stream())
                .filter(fields::has)
                .forEach(field -> fields.violation(field, "is that of the definition"));
        fields.check();
        return new RunRequest(
                definition,
                null,
                () -> endpoints
                        .find(definition)
                        .invoke(found -> {
                            if (found == null || found.type() != EndpointType.WORKFLOW) {
                                throw new ApiException(
                                        ErrorCode.WORKFLOW_DEFINITION_NOT_FOUND,
                                        "The workflow definition '%s' does not exist.".formatted(definition),
                                        List.of(new Detail(fields.pointer("definition"), "must name one that exists")));
                            }
                        })
                        .replaceWithVoid());
    }
}
