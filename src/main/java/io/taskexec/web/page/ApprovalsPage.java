package io.taskexec.web.page;

import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.smallrye.mutiny.Uni;
import io.taskexec.api.approval.ApprovalResource;
import io.taskexec.api.approval.ApprovalResource.By;
import io.taskexec.api.web.Paging;
import io.taskexec.model.audit.KeyScope;
import io.taskexec.request.RequestId;
import io.taskexec.web.frame.PageRoutes;
import io.taskexec.web.frame.Reply;
import io.taskexec.web.frame.Section;
import io.taskexec.web.frame.Visit;
import jakarta.inject.Singleton;
import java.util.List;

/** Questions that executions ask people, and their decisions. */
@Singleton
final class ApprovalsPage implements Section {
    private static final int LIMIT = 50;

    private final ApprovalResource approvals;
    private final Trees trees;

    ApprovalsPage(ApprovalResource approvals, Trees trees) {
        this.approvals = approvals;
        this.trees = trees;
    }

    @Override
    public Entry entry() {
        return new Entry(70, "/approvals", "Approvals", KeyScope.READ);
    }

    @Override
    public void open(PageRoutes routes) {
        routes.get("/approvals", KeyScope.READ, this::list);
        // The statement that makes the decision records it.
        routes.post("/approvals/:id", KeyScope.JOBS, null, this::decide);
    }

    private Uni<Reply> list(Visit visit) {
        // Those that are open, unless the others are asked for.
        var open = requireNonNullElse(visit.query("open"), "true");
        return trees.of(() -> approvals.list(Paging.of(LIMIT, visit.query("cursor")), open))
                .map(list -> Reply.page("approvals", "Approvals")
                        .with("list", list)
                        .with("filter", Filters.of(_ -> open, List.of("open"))));
    }

    private Uni<Reply> decide(Visit visit) {
        var body = JsonNodeFactory.instance.objectNode();
        for (var field : List.of("decision", "comment")) {
            if (visit.form(field) != null) {
                body.put(field, visit.form(field));
            }
        }
        var by = new By(
                visit.caller().name(),
                String.valueOf(visit.context().request().remoteAddress().hostAddress()),
                String.valueOf(visit.context().<Object>get(RequestId.HEADER)));
        return trees.of(() -> approvals.decide(visit.path("id"), QueuesPage.bytes(body), by))
                .map(_ -> new Reply.Moved("/ui/approvals", "The decision is made."));
    }
}
