package io.taskexec.api.endpoint;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.smallrye.mutiny.Uni;
import io.taskexec.api.web.Caller;
import io.taskexec.api.web.Creates;
import io.taskexec.api.web.DryRunParameter;
import io.taskexec.api.web.EntityTags;
import io.taskexec.api.web.Fails;
import io.taskexec.api.web.ListView;
import io.taskexec.api.web.Paging;
import io.taskexec.api.web.RequestSchema;
import io.taskexec.api.web.Responses;
import io.taskexec.api.web.Versioned;
import io.taskexec.job.DryRuns;
import io.taskexec.model.endpoint.Endpoint;
import io.taskexec.model.endpoint.EndpointType;
import io.taskexec.model.endpoint.WorkflowFields;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Fields;
import io.taskexec.request.Lookup;
import io.taskexec.store.endpoint.EndpointStore;
import io.taskexec.store.endpoint.EndpointStore.Registration;
import io.taskexec.store.endpoint.Precondition;
import io.taskexec.store.endpoint.PreconditionFailedException;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jboss.resteasy.reactive.RestHeader;
import org.jboss.resteasy.reactive.RestPath;
import org.jboss.resteasy.reactive.RestQuery;
import org.jboss.resteasy.reactive.RestResponse;
import org.jboss.resteasy.reactive.server.Cancellable;
import org.jspecify.annotations.Nullable;

/** Named workflows. Each is an endpoint of the type WORKFLOW, so that any trigger of a job can run it. */
@Path("/workflow-definitions")
@Produces(MediaType.APPLICATION_JSON)
@Cancellable(false)
public class WorkflowDefinitionResource {
    private final EndpointStore store;
    private final DryRuns dryRuns;
    private final RegistrationTargets targets;

    WorkflowDefinitionResource(EndpointStore store, RegistrationTargets targets, DryRuns dryRuns) {
        this.store = store;
        this.targets = targets;
        this.dryRuns = dryRuns;
    }

    /** A definition as it is shown. */
    @Schema(name = "WorkflowDefinition")
    record View(
            String name,
            int version,
            @Schema(ref = "WorkflowSpec") ObjectNode spec,
            @Nullable String payloadSpec,
            String queue,
            @Nullable String onSuccess,
            @Nullable String onFailure,
            Instant createdAt,
            Instant updatedAt)
            implements Versioned {
        static View of(Endpoint endpoint) {
            return new View(
                    endpoint.name(),
                    endpoint.version(),
                    endpoint.spec().toJson(),
                    endpoint.payloadSpec(),
                    endpoint.queue().name(),
                    endpoint.callbacks().onSuccess(),
                    endpoint.callbacks().onFailure(),
                    endpoint.createdAt(),
                    endpoint.updatedAt());
        }
    }

    @GET
    @Operation(operationId = "listWorkflowDefinitions", summary = "List workflow definitions, newest first.")
    public Uni<ListView<View>> list(@BeanParam Paging paging) {
        return store.listWorkflows(paging.byName()).map(page -> ListView.of(page, View::of));
    }

    @GET
    @Path("/{name}")
    @Operation(operationId = "getWorkflowDefinition", summary = "Get a workflow definition.")
    @Fails(ErrorCode.WORKFLOW_DEFINITION_NOT_FOUND)
    public Uni<RestResponse<View>> get(
            @RestPath String name, @RestHeader(EntityTags.IF_NONE_MATCH) List<String> ifNoneMatch) {
        return find(name)
                .map(found -> View.of(Lookup.found(found, ErrorCode.WORKFLOW_DEFINITION_NOT_FOUND, name)))
                .map(view -> Responses.shown(view, ifNoneMatch));
    }

    private Uni<@Nullable Endpoint> find(String name) {
        return store.findNamed(name)
                .map(found -> found == null || found.type() != EndpointType.WORKFLOW ? null : found);
    }

    @PUT
    @Path("/{name}")
    @Operation(
            operationId = "putWorkflowDefinition",
            summary = "Create a workflow definition, or replace it by its next version.",
            description = "Runs that exist keep the version that they were created with.")
    @RequestSchema("WorkflowDefinitionUpdate")
    @Creates
    @Fails(
            value = {
                ErrorCode.ENDPOINT_NOT_FOUND,
                ErrorCode.CONFLICT,
                ErrorCode.PRECONDITION_FAILED,
                ErrorCode.INVALID_PAYLOAD_SPEC_REF
            },
            graph = true)
    public Uni<RestResponse<View>> put(
            @RestPath String name,
            @RestHeader(EntityTags.IF_MATCH) List<String> ifMatch,
            byte @Nullable [] body,
            @RestQuery(DryRunParameter.NAME) @Nullable String dryRun,
            @Context ContainerRequestContext request) {
        var dry = DryRunParameter.read(dryRun);
        var condition = EntityTags.ifMatch(ifMatch);
        var time = Caller.checkTime(request, body);
        var fields = Fields.of(body, WorkflowFields.DEFINITION);
        fields.checkName("name", name);
        var registration = EndpointRequests.readWorkflow(name, fields);
        return targets.check(registration.spec(), "", time)
                .chain(() ->
                        dryRuns.write(dry, store, EndpointStore::new, writer -> put(writer, registration, condition)))
                .map(written -> shown(written, dry));
    }

    /** A definition that was written. */
    private record Written(Endpoint endpoint, boolean isNew) {}

    private static RestResponse<View> shown(Written written, boolean dryRun) {
        var view = View.of(written.endpoint());
        return written.isNew()
                ? Responses.createdResource("/workflow-definitions/" + view.name(), view, dryRun)
                : Responses.changed(view, dryRun);
    }

    private static Uni<Written> put(EndpointStore writer, Registration registration, Precondition condition) {
        return writer.find(registration.name()).chain(found -> {
            if (found != null && found.type() != EndpointType.WORKFLOW) {
                throw new ApiException(
                        ErrorCode.CONFLICT, "'%s' is an endpoint, and no workflow.".formatted(registration.name()));
            }
            return writer.update(registration, condition)
                    .chain(updated -> updated == null
                            ? create(writer, registration, condition)
                            : Uni.createFrom().item(new Written(updated, false)));
        });
    }

    private static Uni<Written> create(EndpointStore writer, Registration registration, Precondition condition) {
        return condition.equals(Precondition.NONE)
                ? writer.create(registration).map(created -> new Written(created, true))
                : Uni.createFrom().failure(new PreconditionFailedException());
    }

    @DELETE
    @Path("/{name}")
    @Operation(operationId = "deleteWorkflowDefinition", summary = "Delete a workflow definition without open runs.")
    @Fails({ErrorCode.WORKFLOW_DEFINITION_NOT_FOUND, ErrorCode.PRECONDITION_FAILED, ErrorCode.CONFLICT})
    public Uni<RestResponse<Void>> delete(
            @RestPath String name,
            @RestHeader(EntityTags.IF_MATCH) List<String> ifMatch,
            @RestQuery(DryRunParameter.NAME) @Nullable String dryRun) {
        var dry = DryRunParameter.read(dryRun);
        var condition = EntityTags.ifMatch(ifMatch);
        Function<EndpointStore, Uni<Boolean>> delete = writer -> writer.delete(name, condition);
        return find(name)
                .map(found -> Lookup.found(found, ErrorCode.WORKFLOW_DEFINITION_NOT_FOUND, name))
                .chain(() -> dryRuns.write(dry, store, EndpointStore::new, delete))
                .map(was -> Responses.deleted(was, ErrorCode.WORKFLOW_DEFINITION_NOT_FOUND, name));
    }
}
