package io.taskexec.api.endpoint;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.smallrye.mutiny.Uni;
import io.taskexec.api.web.Caller;
import io.taskexec.api.web.Creates;
import io.taskexec.api.web.Cursor;
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
import io.taskexec.model.endpoint.EndpointFields;
import io.taskexec.model.endpoint.EndpointType;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Fields;
import io.taskexec.request.Lookup;
import io.taskexec.resolve.CallbackAddresses;
import io.taskexec.store.endpoint.EndpointStore;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
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

/** Endpoints: what is delivered to. */
@Path("/endpoints")
@Produces(MediaType.APPLICATION_JSON)
@Cancellable(false)
public class EndpointResource {
    private final EndpointStore store;
    private final DryRuns dryRuns;
    private final RegistrationTargets targets;
    private final RegistrationTemplates templates;
    private final RegistrationSigning signing;
    private final CallbackAddresses addresses;

    EndpointResource(
            EndpointStore store,
            RegistrationTargets targets,
            RegistrationTemplates templates,
            RegistrationSigning signing,
            DryRuns dryRuns,
            CallbackAddresses addresses) {
        this.addresses = addresses;
        this.dryRuns = dryRuns;
        this.store = store;
        this.targets = targets;
        this.templates = templates;
        this.signing = signing;
    }

    /** An endpoint as it is shown. */
    @Schema(name = "Endpoint")
    record View(
            String name,
            EndpointType type,
            int version,
            @Nullable String payloadSpec,
            @Nullable String config,
            String queue,
            ObjectNode spec,
            @Schema(ref = "RetryPolicy") ObjectNode retryPolicy,

            @Nullable String onSuccess,
            @Nullable String onFailure,
            @Schema(ref = "OnWorkerLost") String onWorkerLost,
            boolean preemptible,

            @Schema(ref = "Flow", nullable = true) @Nullable ObjectNode flow,

            @Schema(ref = "Completion", nullable = true) @Nullable
            ObjectNode completion,

            Instant createdAt,
            Instant updatedAt)
            implements Versioned {
        static View of(Endpoint endpoint) {
            return new View(
                    endpoint.name(),
                    endpoint.type(),
                    endpoint.version(),
                    endpoint.payloadSpec(),
                    endpoint.config(),
                    endpoint.queue().name(),
                    endpoint.spec().toJson(),
                    endpoint.retryPolicy().toJson(),
                    endpoint.callbacks().onSuccess(),
                    endpoint.callbacks().onFailure(),
                    endpoint.onWorkerLost().word(),
                    endpoint.preemptible(),
                    endpoint.flow() == null ? null : endpoint.flow().toJson(),
                    endpoint.completion() == null ? null : endpoint.completion().toJson(),
                    endpoint.createdAt(),
                    endpoint.updatedAt());
        }
    }

    @POST
    @Operation(operationId = "createEndpoint", summary = "Register an endpoint.")
    @RequestSchema("NewEndpoint")
    @Creates
    @Fails(
            value = {
                ErrorCode.ENDPOINT_NOT_FOUND,
                ErrorCode.CONFLICT,
                ErrorCode.INVALID_PAYLOAD_SPEC_REF,
                ErrorCode.INVALID_CONFIG_REF,
                ErrorCode.PUBLIC_URL_REQUIRED
            },
            graph = true)
    public Uni<RestResponse<View>> create(
            byte @Nullable [] body,
            @RestQuery(DryRunParameter.NAME) @Nullable String dryRun,
            @Context ContainerRequestContext request) {
        var time = Caller.checkTime(request, body);
        var dry = DryRunParameter.read(dryRun);
        var fields = Fields.of(body, EndpointFields.NEW_ENDPOINT);
        var name = fields.name("name");
        var registration = EndpointRequests.read(name, fields);
        checkAddress(registration);
        return targets.check(registration.spec(), "/spec", time)
                .chain(() -> templates.check(registration))
                .chain(() -> signing.check(registration.spec().identity()))
                .chain(() -> write(dry, writer -> writer.create(registration)))
                .map(View::of)
                .map(view -> Responses.createdResource("/endpoints/" + name, view, dry));
    }

    @GET
    @Operation(operationId = "listEndpoints", summary = "List endpoints, newest first.")
    public Uni<ListView<View>> list(@BeanParam Paging paging) {
        return store.list(paging.byName()).map(page -> ListView.of(page, View::of));
    }

    @GET
    @Path("/{name}")
    @Operation(operationId = "getEndpoint", summary = "Get an endpoint.")
    @Fails(ErrorCode.ENDPOINT_NOT_FOUND)
    public Uni<RestResponse<View>> get(
            @RestPath String name, @RestHeader(EntityTags.IF_NONE_MATCH) List<String> ifNoneMatch) {
        return store.findNamed(name)
                .map(found -> View.of(Lookup.found(found, ErrorCode.ENDPOINT_NOT_FOUND, name)))
                .map(view -> Responses.shown(view, ifNoneMatch));
    }

    /** Lists the versions of an endpoint; the first is the one that it has. */
    @GET
    @Path("/{name}/versions")
    @Operation(
            operationId = "listEndpointVersions",
            summary = "List the versions of an endpoint, newest first.",
            description = "'updated_at' is the time at which a version was registered.")
    @Fails(ErrorCode.ENDPOINT_NOT_FOUND)
    public Uni<ListView<View>> versions(@RestPath String name, @BeanParam Paging paging) {
        var limit = paging.limit();
        var before = Cursor.number(paging.cursor);
        return store.findNamed(name)
                .invoke(found -> {
                    var _ = Lookup.found(found, ErrorCode.ENDPOINT_NOT_FOUND, name);
                })
                .chain(() -> store.versions(name, limit, before))
                .map(page -> ListView.of(page, View::of));
    }

    @PUT
    @Path("/{name}")
    @Operation(
            operationId = "updateEndpoint",
            summary = "Replace an endpoint by its next version.",
            description = "Jobs that exist keep the version that they were created with.")
    @RequestSchema("EndpointUpdate")
    @Fails(
            value = {
                ErrorCode.ENDPOINT_NOT_FOUND,
                ErrorCode.CONFLICT,
                ErrorCode.PRECONDITION_FAILED,
                ErrorCode.INVALID_PAYLOAD_SPEC_REF,
                ErrorCode.INVALID_CONFIG_REF,
                ErrorCode.PUBLIC_URL_REQUIRED
            },
            graph = true)
    public Uni<RestResponse<View>> update(
            @RestPath String name,
            @RestHeader(EntityTags.IF_MATCH) List<String> ifMatch,
            byte @Nullable [] body,
            @RestQuery(DryRunParameter.NAME) @Nullable String dryRun,
            @Context ContainerRequestContext request) {
        var time = Caller.checkTime(request, body);
        var dry = DryRunParameter.read(dryRun);
        var condition = EntityTags.ifMatch(ifMatch);
        var fields = Fields.of(body, EndpointFields.NEW_ENDPOINT);
        Responses.sameName(fields, name);
        var registration = EndpointRequests.read(name, fields);
        checkAddress(registration);
        return targets.check(registration.spec(), "/spec", time)
                .chain(() -> templates.check(registration))
                .chain(() -> signing.check(registration.spec().identity()))
                .chain(() -> write(dry, writer -> writer.update(registration, condition)))
                .map(found -> Responses.changed(View.of(Lookup.found(found, ErrorCode.ENDPOINT_NOT_FOUND, name)), dry));
    }

    @DELETE
    @Path("/{name}")
    @Operation(operationId = "deleteEndpoint", summary = "Delete an endpoint that has no unfinished jobs.")
    @Fails({ErrorCode.ENDPOINT_NOT_FOUND, ErrorCode.PRECONDITION_FAILED, ErrorCode.CONFLICT})
    public Uni<RestResponse<Void>> delete(
            @RestPath String name,
            @RestHeader(EntityTags.IF_MATCH) List<String> ifMatch,
            @RestQuery(DryRunParameter.NAME) @Nullable String dryRun) {
        var dry = DryRunParameter.read(dryRun);
        var condition = EntityTags.ifMatch(ifMatch);
        return write(dry, writer -> writer.delete(name, condition))
                .map(was -> Responses.deleted(was, ErrorCode.ENDPOINT_NOT_FOUND, name));
    }

    private void checkAddress(EndpointStore.Registration registration) {
        var completion = registration.completion();
        var isCalledBack = completion != null && completion.takesCallbacks();
        var isApproval = registration.spec().type() == EndpointType.APPROVAL;
        if ((isCalledBack || isApproval) && !addresses.areKnown()) {
            throw new ApiException(
                    ErrorCode.PUBLIC_URL_REQUIRED,
                    "The endpoint has %s, but the server does not know its public address: set TE_PUBLIC_URL."
                            .formatted(isApproval ? "a page" : "callbacks"));
        }
    }

    private <T extends @Nullable Object> Uni<T> write(boolean dryRun, Function<EndpointStore, Uni<T>> write) {
        return dryRuns.write(dryRun, store, EndpointStore::new, write);
    }
}
