package io.taskexec.web.page;

import static java.util.Objects.requireNonNullElse;

import io.smallrye.mutiny.Uni;
import io.taskexec.api.execution.ExecutionFilter;
import io.taskexec.api.job.JobFilter;
import io.taskexec.api.job.JobResource;
import io.taskexec.api.job.JobStatusResource;
import io.taskexec.api.web.Paging;
import io.taskexec.model.audit.KeyScope;
import io.taskexec.model.job.JobStatus;
import io.taskexec.model.job.TriggerKind;
import io.taskexec.store.job.JobStore;
import io.taskexec.web.frame.PageRoutes;
import io.taskexec.web.frame.PageRoutes.Audited;
import io.taskexec.web.frame.Reply;
import io.taskexec.web.frame.Section;
import io.taskexec.web.frame.Visit;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The list of jobs, and the page of each. */
@Singleton
final class JobsPage implements Section {
    private static final List<String> FILTERS =
            List.of("endpoint", "queue", "tag", "trigger", "status", "created_from", "created_before");
    private static final int LIMIT = 50;
    private static final int EXECUTIONS = 20;

    private final JobResource jobs;
    private final JobStatusResource reports;
    private final Trees trees;

    JobsPage(JobResource jobs, JobStatusResource reports, Trees trees) {
        this.jobs = jobs;
        this.reports = reports;
        this.trees = trees;
    }

    @Override
    public Entry entry() {
        return new Entry(10, "/jobs", "Jobs", KeyScope.READ);
    }

    @Override
    public void open(PageRoutes routes) {
        routes.get("/jobs", KeyScope.READ, this::list);
        routes.get("/jobs/:id", KeyScope.READ, this::show);
        routes.post("/jobs/:id/cancel", KeyScope.JOBS, new Audited("job", "cancel"), this::cancel);
    }

    private Uni<Reply> list(Visit visit) {
        return trees.of(() -> jobs.list(Paging.of(LIMIT, visit.query("cursor")), JobFilter.of(visit::query)))
                .map(list -> Reply.page("jobs", "Jobs")
                        .with("list", list)
                        .with("lookedAt", Trees.lookedAt(list, LIMIT, () -> mostLookedAt(visit::query)))
                        .with("filter", Filters.of(visit::query, FILTERS))
                        .with("statuses", Filters.names(JobStatus.values()))
                        .with("triggers", Filters.names(TriggerKind.values())));
    }

    /** How many jobs are looked at for a page at most. */
    static int mostLookedAt(Function<String, @Nullable String> parameters) {
        return JobStore.mostLookedAt(JobFilter.of(parameters).read());
    }

    private Uni<Reply> show(Visit visit) {
        var id = visit.path("id");
        return trees.of(() -> jobs.get(id))
                .chain(job -> Uni.combine()
                        .all()
                        .unis(
                                trees.orProblem(() -> reports.get(id)),
                                trees.of(() -> jobs.executions(
                                        id, Paging.of(EXECUTIONS, visit.query("cursor")), new ExecutionFilter())))
                        .usingConcurrencyOf(1)
                        .with((report, executions) -> Reply.page("job", "Job " + id)
                                .with("job", job)
                                .with(
                                        "isCalling",
                                        ExecutionPage.isCalling(job.at("/execution/status"), job.path("endpoint_type")))
                                .with("report", report)
                                .with("list", executions)));
    }

    private Uni<Reply> cancel(Visit visit) {
        return trees.of(() -> jobs.cancel(visit.path("id"), requireNonNullElse(visit.form("force"), "false")))
                .onFailure()
                .transform(ExecutionPage::tooLate)
                .map(job -> new Reply.Moved("/ui/jobs/" + job.path("job_id").asText(), "The job is cancelled."));
    }
}
