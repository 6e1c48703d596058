package io.taskexec.web.page;

import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.quarkus.qute.RawString;
import io.smallrye.mutiny.Uni;
import io.taskexec.api.execution.ExecutionResource;
import io.taskexec.api.execution.RequestResource;
import io.taskexec.api.explanation.ExplanationResource;
import io.taskexec.api.job.JobResource;
import io.taskexec.api.web.ApiConfig;
import io.taskexec.api.web.Paging;
import io.taskexec.model.audit.KeyScope;
import io.taskexec.model.endpoint.EndpointType;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.web.frame.PageRoutes;
import io.taskexec.web.frame.PageRoutes.Audited;
import io.taskexec.web.frame.Reply;
import io.taskexec.web.frame.Section;
import io.taskexec.web.frame.Visit;
import jakarta.inject.Singleton;
import org.jspecify.annotations.Nullable;

/** An execution: what it did and does, why, and what can be done about it. */
@Singleton
final class ExecutionPage implements Section {
    private static final int ATTEMPTS = 20;
    private static final int LINES = 60;

    private final ExecutionResource executions;
    private final ExplanationResource explanations;
    private final RequestResource requests;
    private final JobResource jobs;
    private final ApiConfig config;
    private final Trees trees;

    ExecutionPage(
            ExecutionResource executions,
            ExplanationResource explanations,
            RequestResource requests,
            JobResource jobs,
            ApiConfig config,
            Trees trees) {
        this.executions = executions;
        this.explanations = explanations;
        this.requests = requests;
        this.jobs = jobs;
        this.config = config;
        this.trees = trees;
    }

    @Override
    public @Nullable Entry entry() {
        return null;
    }

    @Override
    public void open(PageRoutes routes) {
        routes.get("/executions/:id", KeyScope.READ, this::show);
        routes.get("/executions/:id/row", KeyScope.READ, this::row);
        routes.post("/executions/:id/retry", KeyScope.JOBS, new Audited("execution", "retry"), this::retry);
        routes.post("/executions/:id/cancel", KeyScope.JOBS, new Audited("execution", "cancel"), this::cancel);
    }

    private Uni<Reply> row(Visit visit) {
        return trees.of(() -> executions.get(visit.path("id"), null))
                .map(execution -> Reply.page("row", "Execution").with("e", execution));
    }

    private Uni<Reply> show(Visit visit) {
        var id = visit.path("id");
        return trees.of(() -> executions.get(id, null))
                .chain(execution -> Uni.combine()
                        .all()
                        .unis(
                                trees.of(() -> executions.attempts(id, Paging.of(ATTEMPTS, visit.query("attempts")))),
                                trees.of(() -> executions.logs(id, Paging.of(LINES, visit.query("logs")))),
                                trees.orProblem(() -> explanations.explain(id)),
                                trees.orProblem(() -> requests.get(id)),
                                trees.orProblem(
                                        () -> jobs.get(execution.path("job_id").asText())))
                        .usingConcurrencyOf(1)
                        .with((attempts, logs, explanation, request, job) -> Reply.page("execution", "Execution " + id)
                                .with("e", execution)
                                .with("attempts", attempts)
                                .with("logs", logs)
                                .with("explanation", explanation)
                                .with("request", request)
                                .with("curl", request.has("problem") ? null : Curl.of(request))
                                .with("job", job)
                                .with("traceUrl", traceUrl(job))
                                .with("isFinal", isFinal(execution))
                                .with("isCalling", isCalling(execution.path("status"), execution.path("endpoint_type")))
                                .with(
                                        "timeline",
                                        new RawString(ExecutionTimeline.of(
                                                        execution, attempts, visit.query("attempts") == null)
                                                .draw()))));
    }

    private @Nullable String traceUrl(ObjectNode job) {
        return config.uiTraceUrl()
                .filter(_ -> job.hasNonNull("trace_id"))
                .map(url -> url.replace("{trace_id}", job.path("trace_id").asText()))
                .orElse(null);
    }

    private static boolean isFinal(ObjectNode execution) {
        return ExecutionStatus.valueOf(execution.path("status").asText()).isFinal();
    }

    /**
     * Whether an execution makes a call, which a cancellation aborts only by force. The run of a workflow makes none:
     * force would also cancel those of its jobs that are to run whatever happens.
     */
    static boolean isCalling(JsonNode status, JsonNode endpointType) {
        return status.asText().equals(ExecutionStatus.RUNNING.name())
                && !endpointType.asText().equals(EndpointType.WORKFLOW.name());
    }

    /** The refusal of a cancellation that comes too late, for a person: the API says only that force is needed. */
    static Throwable tooLate(Throwable failure) {
        return failure instanceof ApiException error && error.code() == ErrorCode.EXECUTION_NOT_CANCELLABLE
                ? new ApiException(
                        error.code(),
                        "The execution has ended, has been decided about, or has begun to run since its page was"
                                + " loaded. Go back and load the page again: what runs can be cancelled there, and its"
                                + " call is aborted. What has been decided about ends by itself; before, only the"
                                + " API cancels it, with ?force=true.")
                : failure;
    }

    private Uni<Reply> retry(Visit visit) {
        return trees.of(() -> executions.retry(visit.path("id")))
                .map(replay -> new Reply.Moved(
                        "/ui/executions/" + replay.path("execution_id").asText(), "This is the retry; it has begun."));
    }

    private Uni<Reply> cancel(Visit visit) {
        var force = requireNonNullElse(visit.form("force"), "false");
        return trees.of(() -> executions.cancel(visit.path("id"), force))
                .onFailure()
                .transform(ExecutionPage::tooLate)
                .map(execution -> new Reply.Moved(
                        "/ui/executions/" + execution.path("execution_id").asText(),
                        execution.path("status").asText().equals("CANCELLED")
                                ? "The execution is cancelled."
                                : "The execution is being cancelled."));
    }
}
