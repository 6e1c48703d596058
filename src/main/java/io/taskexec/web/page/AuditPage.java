package io.taskexec.web.page;

import io.smallrye.mutiny.Uni;
import io.taskexec.api.auth.AuditResource;
import io.taskexec.api.web.Paging;
import io.taskexec.model.audit.KeyScope;
import io.taskexec.web.frame.PageRoutes;
import io.taskexec.web.frame.Reply;
import io.taskexec.web.frame.Section;
import io.taskexec.web.frame.Visit;
import jakarta.inject.Singleton;
import java.util.List;

/** The audit log. */
@Singleton
final class AuditPage implements Section {
    private static final List<String> FILTERS = List.of("actor", "kind");
    private static final int LIMIT = 50;

    private final AuditResource audit;
    private final Trees trees;

    AuditPage(AuditResource audit, Trees trees) {
        this.audit = audit;
        this.trees = trees;
    }

    @Override
    public Entry entry() {
        return new Entry(90, "/audit", "Audit", KeyScope.ADMIN);
    }

    @Override
    public void open(PageRoutes routes) {
        routes.get("/audit", KeyScope.ADMIN, this::list);
    }

    private Uni<Reply> list(Visit visit) {
        return trees.of(() ->
                        audit.list(Paging.of(LIMIT, visit.query("cursor")), visit.query("actor"), visit.query("kind")))
                .map(list -> Reply.page("audit", "Audit")
                        .with("list", list)
                        .with("filter", Filters.of(visit::query, FILTERS)));
    }
}
