package io.taskexec.api.execution;

import io.smallrye.mutiny.Uni;
import io.taskexec.api.web.Fails;
import io.taskexec.api.web.ListView;
import io.taskexec.api.web.Paging;
import io.taskexec.model.PublicId;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Lookup;
import io.taskexec.store.operation.OperationStore;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.jboss.resteasy.reactive.RestPath;
import org.jboss.resteasy.reactive.server.Cancellable;

/** Operations on many executions: how far they are, and their end. */
@Path("/operations")
@Produces(MediaType.APPLICATION_JSON)
@Cancellable(false)
public class OperationResource {
    private final OperationStore store;

    OperationResource(OperationStore store) {
        this.store = store;
    }

    @GET
    @Operation(operationId = "listOperations", summary = "List operations on many executions, newest first.")
    public Uni<ListView<OperationView>> list(@BeanParam Paging paging) {
        return store.list(paging.limit(), paging.afterId()).map(page -> ListView.of(page, OperationView::of));
    }

    @GET
    @Path("/{id}")
    @Operation(operationId = "getOperation", summary = "Get an operation and its progress.")
    @Fails(ErrorCode.OPERATION_NOT_FOUND)
    public Uni<OperationView> get(@RestPath String id) {
        return find(id).map(OperationView::of);
    }

    /** Ends an operation; what it has done remains done. */
    @POST
    @Path("/{id}/cancel")
    @Operation(operationId = "cancelOperation", summary = "Cancel an operation.")
    @Fails({ErrorCode.OPERATION_NOT_FOUND, ErrorCode.CONFLICT})
    public Uni<OperationView> cancel(@RestPath String id) {
        return find(id).chain(operation -> store.cancel(operation.id())).chain(cancelled -> {
            if (!cancelled) {
                throw new ApiException(ErrorCode.CONFLICT, "The operation has ended.");
            }
            return get(id);
        });
    }

    private Uni<io.taskexec.model.job.Operation> find(String id) {
        var operationId = Lookup.found(PublicId.OPERATION.parse(id), ErrorCode.OPERATION_NOT_FOUND, id);
        return store.find(operationId).map(found -> Lookup.found(found, ErrorCode.OPERATION_NOT_FOUND, id));
    }
}
