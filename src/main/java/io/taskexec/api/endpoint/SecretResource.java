package io.taskexec.api.endpoint;

import io.smallrye.mutiny.Uni;
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
import io.taskexec.model.audit.Secret;
import io.taskexec.model.endpoint.EndpointFields;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Fields;
import io.taskexec.request.Lookup;
import io.taskexec.secret.SecretCipher;
import io.taskexec.store.endpoint.SecretStore;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
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

/** Secrets; their values come in and never go out. */
@Path("/secrets")
@Produces(MediaType.APPLICATION_JSON)
@Cancellable(false)
public class SecretResource {
    private final SecretStore store;
    private final DryRuns dryRuns;
    private final SecretCipher cipher;

    SecretResource(SecretStore store, SecretCipher cipher, DryRuns dryRuns) {
        this.dryRuns = dryRuns;
        this.store = store;
        this.cipher = cipher;
    }

    /** A secret as it is shown. */
    @Schema(name = "Secret")
    record View(String name, int version, Instant createdAt, Instant updatedAt) implements Versioned {
        static View of(Secret secret) {
            return new View(secret.name(), secret.version(), secret.createdAt(), secret.updatedAt());
        }
    }

    @POST
    @Operation(operationId = "createSecret", summary = "Create a secret.")
    @RequestSchema("NewSecret")
    @Creates
    @Fails(ErrorCode.CONFLICT)
    public Uni<RestResponse<View>> create(
            byte @Nullable [] body, @RestQuery(DryRunParameter.NAME) @Nullable String dryRun) {
        var dry = DryRunParameter.read(dryRun);
        var fields = Fields.of(body, EndpointFields.NEW_SECRET);
        var name = fields.secretName("name");
        var value = fields.text("value");
        fields.check();
        return write(dry, writer -> writer.create(name, cipher.encrypt(name, value)))
                .map(View::of)
                .map(view -> Responses.createdResource("/secrets/" + name, view, dry));
    }

    @GET
    @Operation(operationId = "listSecrets", summary = "List secrets without their values, newest first.")
    public Uni<ListView<View>> list(@BeanParam Paging paging) {
        return store.list(paging.byName()).map(page -> ListView.of(page, View::of));
    }

    @GET
    @Path("/{name}")
    @Operation(operationId = "getSecret", summary = "Get a secret without its value.")
    @Fails(ErrorCode.SECRET_NOT_FOUND)
    public Uni<RestResponse<View>> get(
            @RestPath String name, @RestHeader(EntityTags.IF_NONE_MATCH) List<String> ifNoneMatch) {
        return store.find(name)
                .map(secret -> View.of(Lookup.found(secret, ErrorCode.SECRET_NOT_FOUND, name)))
                .map(view -> Responses.shown(view, ifNoneMatch));
    }

    @PUT
    @Path("/{name}")
    @Operation(operationId = "updateSecret", summary = "Replace the value of a secret.")
    @RequestSchema("SecretUpdate")
    @Fails({ErrorCode.SECRET_NOT_FOUND, ErrorCode.PRECONDITION_FAILED})
    public Uni<RestResponse<View>> update(
            @RestPath String name,
            @RestHeader(EntityTags.IF_MATCH) List<String> ifMatch,
            byte @Nullable [] body,
            @RestQuery(DryRunParameter.NAME) @Nullable String dryRun) {
        var dry = DryRunParameter.read(dryRun);
        var condition = EntityTags.ifMatch(ifMatch);
        var fields = Fields.of(body, EndpointFields.NEW_SECRET);
        Responses.sameName(fields, name);
        var value = fields.text("value");
        fields.check();
        return write(dry, writer -> writer.update(name, cipher.encrypt(name, value), condition))
                .map(secret -> Responses.changed(View.of(Lookup.found(secret, ErrorCode.SECRET_NOT_FOUND, name)), dry));
    }

    @DELETE
    @Path("/{name}")
    @Operation(operationId = "deleteSecret", summary = "Delete a secret.")
    @Fails({ErrorCode.SECRET_NOT_FOUND, ErrorCode.PRECONDITION_FAILED, ErrorCode.CONFLICT})
    public Uni<RestResponse<Void>> delete(
            @RestPath String name,
            @RestHeader(EntityTags.IF_MATCH) List<String> ifMatch,
            @RestQuery(DryRunParameter.NAME) @Nullable String dryRun) {
        var dry = DryRunParameter.read(dryRun);
        var condition = EntityTags.ifMatch(ifMatch);
        return write(dry, writer -> writer.delete(name, condition))
                .map(was -> Responses.deleted(was, ErrorCode.SECRET_NOT_FOUND, name));
    }

    private <T extends @Nullable Object> Uni<T> write(boolean dryRun, Function<SecretStore, Uni<T>> write) {
        return dryRuns.write(dryRun, store, SecretStore::new, write);
    }
}
