package io.taskexec.web.page;

import io.smallrye.mutiny.Uni;
import io.taskexec.api.execution.ExecutionListResource;
import io.taskexec.api.execution.SelectionFilter;
import io.taskexec.api.web.Paging;
import io.taskexec.model.audit.KeyScope;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.model.job.Failure;
import io.taskexec.store.execution.ExecutionSearch;
import io.taskexec.web.frame.PageRoutes;
import io.taskexec.web.frame.Reply;
import io.taskexec.web.frame.Section;
import io.taskexec.web.frame.Visit;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The list of executions, by the filters of the API. */
@Singleton
final class ExecutionsPage implements Section {
    static final List<String> FILTERS =
            List.of("status", "error_type", "endpoint", "queue", "tag", "created_from", "created_before", "retried");

    private static final int LIMIT = 50;

    private final ExecutionListResource executions;
    private final Trees trees;

    ExecutionsPage(ExecutionListResource executions, Trees trees) {
        this.executions = executions;
        this.trees = trees;
    }

    @Override
    public Entry entry() {
        return new Entry(20, "/executions", "Executions", KeyScope.READ);
    }

    @Override
    public void open(PageRoutes routes) {
        routes.get("/executions", KeyScope.READ, this::list);
    }

    private Uni<Reply> list(Visit visit) {
        var filter = Filters.of(visit::query, FILTERS);
        return trees.of(() ->
                        executions.list(Paging.of(LIMIT, visit.query("cursor")), SelectionFilter.of(visit::query)))
                .map(list -> Reply.page("executions", "Executions")
                        .with("list", list)
                        .with("filter", filter)
                        .with("lookedAt", Trees.lookedAt(list, LIMIT, () -> mostLookedAt(visit::query)))
                        .with("statuses", Filters.names(ExecutionStatus.values()))
                        .with("errors", Filters.names(Failure.Type.values())));
    }

    /** How many executions are looked at for a page at most. */
    static int mostLookedAt(Function<String, @Nullable String> parameters) {
        return ExecutionSearch.mostLookedAt(SelectionFilter.of(parameters).read());
    }
}
