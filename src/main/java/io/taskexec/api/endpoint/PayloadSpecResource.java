package io.taskexec.api.endpoint;

import com.fasterxml.jackson.databind.JsonNode;
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
import io.taskexec.job.CheckTime;
import io.taskexec.job.DryRuns;
import io.taskexec.job.InputChecks;
import io.taskexec.model.endpoint.EndpointFields;
import io.taskexec.model.endpoint.PayloadSpec;
import io.taskexec.request.ApiException;
import io.taskexec.request.ApiException.Detail;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Fields;
import io.taskexec.request.Lookup;
import io.taskexec.schema.InputSchema;
import io.taskexec.schema.InvalidSchemaException;
import io.taskexec.schema.Violation;
import io.taskexec.store.endpoint.PayloadSpecStore;
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

/** Payload specs. */
@Path("/payload-specs")
@Produces(MediaType.APPLICATION_JSON)
@Cancellable(false)
public class PayloadSpecResource {
    private final PayloadSpecStore store;
    private final DryRuns dryRuns;
    private final InputChecks checks;

    PayloadSpecResource(PayloadSpecStore store, DryRuns dryRuns, InputChecks checks) {
        this.dryRuns = dryRuns;
        this.store = store;
        this.checks = checks;
    }

    /** A payload spec as it is shown. */
    @Schema(name = "PayloadSpec")
    record View(
            String name,
            int version,

            @Schema(implementation = ObjectNode.class) JsonNode schema,

            Instant createdAt,
            Instant updatedAt)
            implements Versioned {
        static View of(PayloadSpec spec) {
            return new View(spec.name(), spec.version(), spec.schema(), spec.createdAt(), spec.updatedAt());
        }
    }

    @POST
    @Operation(operationId = "createPayloadSpec", summary = "Create a payload spec.")
    @RequestSchema("NewPayloadSpec")
    @Creates
    @Fails({ErrorCode.CONFLICT, ErrorCode.INVALID_SCHEMA})
    public Uni<RestResponse<View>> create(
            byte @Nullable [] body,
            @RestQuery(DryRunParameter.NAME) @Nullable String dryRun,
            @Context ContainerRequestContext request) {
        var dry = DryRunParameter.read(dryRun);
        var fields = Fields.of(body, EndpointFields.NEW_PAYLOAD_SPEC);
        var name = fields.name("name");
        var schema = fields.object("schema");
        fields.check();
        return compile(schema, Caller.checkTime(request, body))
                .chain(() -> write(dry, writer -> writer.create(name, schema)))
                .map(View::of)
                .map(view -> Responses.createdResource("/payload-specs/" + name, view, dry));
    }

    @GET
    @Operation(operationId = "listPayloadSpecs", summary = "List payload specs, newest first.")
    public Uni<ListView<View>> list(@BeanParam Paging paging) {
        return store.list(paging.byName()).map(page -> ListView.of(page, View::of));
    }

    @GET
    @Path("/{name}")
    @Operation(operationId = "getPayloadSpec", summary = "Get a payload spec.")
    @Fails(ErrorCode.PAYLOAD_SPEC_NOT_FOUND)
    public Uni<RestResponse<View>> get(
            @RestPath String name, @RestHeader(EntityTags.IF_NONE_MATCH) List<String> ifNoneMatch) {
        return store.find(name)
                .map(spec -> View.of(Lookup.found(spec, ErrorCode.PAYLOAD_SPEC_NOT_FOUND, name)))
                .map(view -> Responses.shown(view, ifNoneMatch));
    }

    @PUT
    @Path("/{name}")
    @Operation(operationId = "updatePayloadSpec", summary = "Replace the schema of a payload spec.")
    @RequestSchema("PayloadSpecUpdate")
    @Fails({ErrorCode.PAYLOAD_SPEC_NOT_FOUND, ErrorCode.PRECONDITION_FAILED, ErrorCode.INVALID_SCHEMA})
    public Uni<RestResponse<View>> update(
            @RestPath String name,
            @RestHeader(EntityTags.IF_MATCH) List<String> ifMatch,
            byte @Nullable [] body,
            @RestQuery(DryRunParameter.NAME) @Nullable String dryRun,
            @Context ContainerRequestContext request) {
        var dry = DryRunParameter.read(dryRun);
        var condition = EntityTags.ifMatch(ifMatch);
        var fields = Fields.of(body, EndpointFields.NEW_PAYLOAD_SPEC);
        Responses.sameName(fields, name);
        var schema = fields.object("schema");
        fields.check();
        return compile(schema, Caller.checkTime(request, body))
                .chain(() -> write(dry, writer -> writer.update(name, schema, condition)))
                .map(spec ->
                        Responses.changed(View.of(Lookup.found(spec, ErrorCode.PAYLOAD_SPEC_NOT_FOUND, name)), dry));
    }

    @DELETE
    @Path("/{name}")
    @Operation(operationId = "deletePayloadSpec", summary = "Delete a payload spec.")
    @Fails({ErrorCode.PAYLOAD_SPEC_NOT_FOUND, ErrorCode.PRECONDITION_FAILED, ErrorCode.CONFLICT})
    public Uni<RestResponse<Void>> delete(
            @RestPath String name,
            @RestHeader(EntityTags.IF_MATCH) List<String> ifMatch,
            @RestQuery(DryRunParameter.NAME) @Nullable String dryRun) {
        var dry = DryRunParameter.read(dryRun);
        var condition = EntityTags.ifMatch(ifMatch);
        return write(dry, writer -> writer.delete(name, condition))
                .map(was -> Responses.deleted(was, ErrorCode.PAYLOAD_SPEC_NOT_FOUND, name));
    }

    private Uni<InputSchema> compile(JsonNode schema, CheckTime time) {
        return checks.compile(time, budget -> InputSchema.compileNew(schema, budget))
                .onFailure(InvalidSchemaException.class)
                .transform(PayloadSpecResource::refusal);
    }

    private static ApiException refusal(InvalidSchemaException e) {
        return new ApiException(
                ErrorCode.INVALID_SCHEMA, "The schema is not usable: " + e.getMessage(), details(e.violation()));
    }

    private static List<Detail> details(@Nullable Violation violation) {
        return violation == null
                ? List.of()
                : List.of(new Detail("/schema" + violation.pointer(), violation.message()));
    }

    private <T extends @Nullable Object> Uni<T> write(boolean dryRun, Function<PayloadSpecStore, Uni<T>> write) {
        return dryRuns.write(dryRun, store, PayloadSpecStore::new, write);
    }
}
