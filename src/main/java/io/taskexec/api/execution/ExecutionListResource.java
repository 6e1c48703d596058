package io.taskexec.api.execution;

import io.smallrye.mutiny.Uni;
import io.taskexec.api.web.ListView;
import io.taskexec.api.web.Paging;
import io.taskexec.store.execution.ExecutionSearch;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.eclipse.microprofile.openapi.annotations.Operation;

/** The executions of all jobs, of which those that failed are the dead letters. */
@Path("/executions")
@Produces(MediaType.APPLICATION_JSON)
public class ExecutionListResource {
    private final ExecutionSearch search;

    ExecutionListResource(ExecutionSearch search) {
        this.search = search;
    }

    @GET
    @Operation(operationId = "listExecutions", summary = "List the executions of all jobs, newest first.")
    public Uni<ListView<ExecutionView>> list(@BeanParam Paging paging, @BeanParam SelectionFilter filter) {
        return search.list(filter.read(), paging.limit(), paging.afterId())
                .map(page -> ListView.of(page, ExecutionView::of));
    }
}
