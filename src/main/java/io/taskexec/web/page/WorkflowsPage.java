package io.taskexec.web.page;

import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.quarkus.qute.RawString;
import io.smallrye.mutiny.Uni;
import io.taskexec.api.web.Paging;
import io.taskexec.api.web.PlainPage;
import io.taskexec.api.workflow.WorkflowResource;
import io.taskexec.model.audit.KeyScope;
import io.taskexec.store.sql.LookLimits;
import io.taskexec.web.chart.Graph;
import io.taskexec.web.frame.PageRoutes;
import io.taskexec.web.frame.PageRoutes.Audited;
import io.taskexec.web.frame.Reply;
import io.taskexec.web.frame.Section;
import io.taskexec.web.frame.Visit;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** Runs of workflows, each with its graph. */
@Singleton
final class WorkflowsPage implements Section {
    private static final List<String> FILTERS = List.of("name", "status");
    private static final List<String> STATUSES =
            List.of("PENDING", "RUNNING", "CANCELLING", "SUCCESS", "FAILED", "CANCELLED");
    private static final int LIMIT = 50;

    /** Of a larger graph the list alone is shown. */
    private static final int MOST_DRAWN = 80;

    private static final int MOST_EDGES = 200;
    private static final int MOST_LISTED = 80;

    /** The statuses that are listed first in a large run. */
    private static final List<String> OF_INTEREST = List.of("FAILED", "RUNNING", "DEFERRED", "RETRYING", "QUEUED");

    private final WorkflowResource workflows;
    private final Trees trees;

    WorkflowsPage(WorkflowResource workflows, Trees trees) {
        this.workflows = workflows;
        this.trees = trees;
    }

    @Override
    public Entry entry() {
        return new Entry(50, "/workflows", "Workflows", KeyScope.READ);
    }

    @Override
    public void open(PageRoutes routes) {
        routes.get("/workflows", KeyScope.READ, this::list);
        routes.get("/workflows/:id", KeyScope.READ, this::show);
        routes.post("/workflows/:id/cancel", KeyScope.JOBS, new Audited("workflow", "cancel"), this::cancel);
        routes.post("/workflows/:id/retry", KeyScope.JOBS, new Audited("workflow", "retry"), this::retry);
        routes.post("/workflows/:id/replay", KeyScope.JOBS, new Audited("workflow", "replay"), this::replay);
    }

    private Uni<Reply> list(Visit visit) {
        return trees.of(() -> workflows.list(
                        Paging.of(LIMIT, visit.query("cursor")), visit.query("name"), visit.query("status")))
                .map(list -> Reply.page("workflows", "Workflows")
                        .with("list", list)
                        .with("lookedAt", Trees.lookedAt(list, LIMIT, () -> LookLimits.LOOKUPS))
                        .with("filter", Filters.of(visit::query, FILTERS))
                        .with("statuses", STATUSES));
    }

    private Uni<Reply> show(Visit visit) {
        return trees.of(() -> workflows.get(visit.path("id")))
                .map(run -> Reply.page("workflow", "Workflow")
                        .with("run", run)
                        .with("live", live(run))
                        .with("isFinal", run.hasNonNull("completed_at"))
                        .with("jobs", jobs(run))
                        .with("count", run.path("jobs").size())
                        .with("edges", edges(run))
                        .with("counts", counts(run))
                        .with("graph", graph(run)));
    }

    /** The run and, unless they are too many, its jobs: their events change the page. */
    private static String live(ObjectNode run) {
        var ids = new StringJoiner(" ").add(run.path("execution_id").asText());
        if (run.path("jobs").size() <= MOST_LISTED) {
            run.path("jobs")
                    .valueStream()
                    .filter(job -> job.hasNonNull("job_id"))
                    .forEach(job -> ids.add(job.path("job_id").asText()));
        }
        return ids.toString();
    }

    private static List<ObjectNode> jobs(ObjectNode run) {
        var jobs = new ArrayList<ObjectNode>();
        run.path("jobs").forEachEntry((name, job) -> jobs.add(((ObjectNode) job).put("name", name)));
        if (jobs.size() > MOST_LISTED) {
            jobs.sort(Comparator.comparingInt(WorkflowsPage::interest));
        }
        return jobs.subList(0, Math.min(MOST_LISTED, jobs.size()));
    }

    private static int interest(ObjectNode job) {
        var place = OF_INTEREST.indexOf(job.path("status").asText());
        return place < 0 ? OF_INTEREST.size() : place;
    }

    /** Counts the jobs of each status. */
    private static ObjectNode counts(ObjectNode run) {
        var counts = JsonNodeFactory.instance.objectNode();
        run.path("jobs")
                .valueStream()
                .map(job -> job.path("status").asText())
                .forEach(status -> counts.put(status, counts.path(status).asInt() + 1));
        return counts;
    }

    private static int edges(ObjectNode run) {
        return run.path("jobs")
                .valueStream()
                .mapToInt(job -> job.path("depends_on").size())
                .sum();
    }

    private static @Nullable RawString graph(ObjectNode run) {
        if (run.path("jobs").size() > MOST_DRAWN || edges(run) > MOST_EDGES) {
            return null;
        }
        Set<String> critical = new HashSet<>();
        run.path("critical_path").forEach(name -> critical.add(name.asText()));
        var nodes = new ArrayList<Graph.Node>();
        run.path("jobs").forEachEntry((name, job) -> {
            var parents = new ArrayList<String>();
            job.path("depends_on").forEach(parent -> parents.add(parent.asText()));
            var status = job.path("status").asText();
            nodes.add(new Graph.Node(
                    name,
                    parents,
                    status,
                    status.toLowerCase(Locale.ROOT),
                    job.hasNonNull("job_id") ? "/ui/jobs/" + job.path("job_id").asText() : "",
                    critical.contains(name)));
        });
        return new RawString(new Graph(nodes).draw(PlainPage::escape));
    }

    private Uni<Reply> cancel(Visit visit) {
        return trees.of(() -> workflows.cancel(visit.path("id"), requireNonNullElse(visit.form("force"), "false")))
                .map(run -> at(run, "The run is being cancelled."));
    }

    private Uni<Reply> retry(Visit visit) {
        return trees.of(() -> workflows.retry(visit.path("id")))
                .map(run -> at(run, "This is the retry: what had failed begins anew."));
    }

    private Uni<Reply> replay(Visit visit) {
        return trees.of(() -> workflows.replay(visit.path("id")))
                .map(run -> at(run, "This is the replay: all begins anew."));
    }

    private static Reply at(ObjectNode run, String notice) {
        return new Reply.Moved("/ui/workflows/" + run.path("workflow_id").asText(), notice);
    }
}
