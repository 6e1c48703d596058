package io.taskexec.api.approval;

import static io.taskexec.model.FieldDefinition.optional;
import static io.taskexec.model.FieldDefinition.required;
import static io.taskexec.model.ValueType.text;
import static io.taskexec.model.ValueType.words;
import static java.util.Objects.requireNonNull;

import io.smallrye.mutiny.Uni;
import io.taskexec.api.web.Caller;
import io.taskexec.api.web.Fails;
import io.taskexec.api.web.Flags;
import io.taskexec.api.web.ListView;
import io.taskexec.api.web.Paging;
import io.taskexec.api.web.RequestSchema;
import io.taskexec.model.ObjectDefinition;
import io.taskexec.model.OperationSummary;
import io.taskexec.model.PublicId;
import io.taskexec.model.wait.Approval;
import io.taskexec.model.wait.Decision;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Fields;
import io.taskexec.request.RequestId;
import io.taskexec.store.wait.ApprovalStore;
import io.taskexec.store.wait.ApprovalStore.Decided;
import io.vertx.core.http.HttpServerRequest;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.jboss.resteasy.reactive.RestPath;
import org.jboss.resteasy.reactive.RestQuery;
import org.jboss.resteasy.reactive.server.Cancellable;
import org.jspecify.annotations.Nullable;

/** Questions that executions ask people. */
@Path("/approvals")
@Produces(MediaType.APPLICATION_JSON)
@Cancellable(false)
public class ApprovalResource {
    /** The longest comment, in characters. */
    static final int MOST_COMMENT = 4096;

    /** A decision. */
    public static final ObjectDefinition DECISION = ObjectDefinition.of(
            "DecisionRequest",
            required("decision", words("Decision", Decision.values())),
            optional("comment", text(MOST_COMMENT)));

    private final ApprovalStore store;

    ApprovalResource(ApprovalStore store) {
        this.store = store;
    }

    @GET
    @Operation(operationId = "listApprovals", summary = OperationSummary.LIST_APPROVALS)
    public Uni<ListView<ApprovalView>> list(@BeanParam Paging paging, @RestQuery @Nullable String open) {
        var wanted = open == null ? null : Flags.parse("open", open);
        return store.list(wanted, paging.limit(), paging.afterId()).map(page -> ListView.of(page, ApprovalView::of));
    }

    @GET
    @Path("/{id}")
    @Operation(operationId = "getApproval", summary = "Get the question of an execution.")
    @Fails(ErrorCode.APPROVAL_NOT_FOUND)
    public Uni<ApprovalView> get(@RestPath String id) {
        return find(id).map(ApprovalView::of);
    }

    private Uni<Approval> find(String id) {
        var executionId = PublicId.EXECUTION.parse(id);
        var found = executionId == null ? Uni.createFrom().<@Nullable Approval>nullItem() : store.find(executionId);
        return found.map(approval -> {
            if (approval == null) {
                throw new ApiException(
                        ErrorCode.APPROVAL_NOT_FOUND,
                        "The execution '%s' has asked nothing, or does not exist.".formatted(id));
            }
            return approval;
        });
    }

    @POST
    @Path("/{id}/decision")
    @Operation(operationId = "decideApproval", summary = "Decide about the question of an execution.")
    @RequestSchema("DecisionRequest")
    @Fails({ErrorCode.APPROVAL_NOT_FOUND, ErrorCode.APPROVAL_DECIDED})
    public Uni<ApprovalView> decide(
            @RestPath String id,
            byte @Nullable [] body,
            @Context ContainerRequestContext request,
            @Context HttpServerRequest connection) {
        var address = String.valueOf(connection.remoteAddress().hostAddress());
        return decide(id, body, new By(requireNonNull(Caller.of(request)).name(), address, RequestId.of(request)));
    }

    /** The sender of a decision: the name of the key, with the address and the id of the request. */
    public record By(String key, String address, String requestId) {}

    /** Takes a decision that has come by another way than this route. */
    public Uni<ApprovalView> decide(String id, byte @Nullable [] body, By by) {
        var fields = Fields.of(body, DECISION);
        var decision = fields.decisiveChoice("decision", Decision.class);
        var comment = fields.optionalText("comment");
        fields.check();
        var decided = new Decided(decision, by.key(), "key", comment, by.address(), by.requestId());
        return find(id).chain(approval -> store.decide(approval.executionId(), approval.attempt(), decided))
                .chain(done -> find(id).invoke(now -> checkDecided(done, decided, now)))
                .map(ApprovalView::of);
    }

    /** The same decision by the same key may be sent again. */
    private static void checkDecided(boolean done, Decided decided, Approval now) {
        var isRepeated = now.decision() == decided.decision()
                && decided.by().equals(now.decidedBy())
                && decided.via().equals(now.decidedVia());
        if (!done && !isRepeated) {
            throw new ApiException(ErrorCode.APPROVAL_DECIDED, "There is a decision already, or its time is over.");
        }
    }
}
