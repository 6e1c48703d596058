package io.taskexec.api.endpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
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
import io.taskexec.model.endpoint.Config;
import io.taskexec.model.endpoint.EndpointFields;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Fields;
import io.taskexec.request.Lookup;
import io.taskexec.store.endpoint.ConfigStore;
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

/** Configs. */
@Path("/configs")
@Produces(MediaType.APPLICATION_JSON)
@Cancellable(false)
public class ConfigResource {
    private final ConfigStore store;
    private final DryRuns dryRuns;

    ConfigResource(ConfigStore store, DryRuns dryRuns) {
        this.dryRuns = dryRuns;
        this.store = store;
    }

    /** A config as it is shown. */
    @Schema(name = "Config")
    record View(
            String name,
            int version,

            @Schema(implementation = ObjectNode.class) JsonNode values,

            Instant createdAt,
            Instant updatedAt)
            implements Versioned {
        static View of(Config config) {
            return new View(config.name(), config.version(), config.values(), config.createdAt(), config.updatedAt());
        }
    }

    @POST
    @Operation(operationId = "createConfig", summary = "Create a config.")
    @RequestSchema("NewConfig")
    @Creates
    @Fails(ErrorCode.CONFLICT)
    public Uni<RestResponse<View>> create(
            byte @Nullable [] body, @RestQuery(DryRunParameter.NAME) @Nullable String dryRun) {
        var dry = DryRunParameter.read(dryRun);
        var fields = Fields.of(body, EndpointFields.NEW_CONFIG);
        var name = fields.name("name");
        var values = fields.object("values");
        fields.check();
        return write(dry, writer -> writer.create(name, values))
                .map(View::of)
                .map(view -> Responses.createdResource("/configs/" + name, view, dry));
    }

    @GET
    @Operation(operationId = "listConfigs", summary = "List configs, newest first.")
    public Uni<ListView<View>> list(@BeanParam Paging paging) {
        return store.list(paging.byName()).map(page -> ListView.of(page, View::of));
    }

    @GET
    @Path("/{name}")
    @Operation(operationId = "getConfig", summary = "Get a config.")
    @Fails(ErrorCode.CONFIG_NOT_FOUND)
    public Uni<RestResponse<View>> get(
            @RestPath String name, @RestHeader(EntityTags.IF_NONE_MATCH) List<String> ifNoneMatch) {
        return store.find(name)
                .map(config -> View.of(Lookup.found(config, ErrorCode.CONFIG_NOT_FOUND, name)))
                .map(view -> Responses.shown(view, ifNoneMatch));
    }

    @PUT
    @Path("/{name}")
    @Operation(operationId = "updateConfig", summary = "Replace the values of a config.")
    @RequestSchema("ConfigUpdate")
    @Fails({ErrorCode.CONFIG_NOT_FOUND, ErrorCode.PRECONDITION_FAILED})
    public Uni<RestResponse<View>> update(
            @RestPath String name,
            @RestHeader(EntityTags.IF_MATCH) List<String> ifMatch,
            byte @Nullable [] body,
            @RestQuery(DryRunParameter.NAME) @Nullable String dryRun) {
        var dry = DryRunParameter.read(dryRun);
        var condition = EntityTags.ifMatch(ifMatch);
        var fields = Fields.of(body, EndpointFields.NEW_CONFIG);
        Responses.sameName(fields, name);
        var values = fields.object("values");
        fields.check();
        return write(dry, writer -> writer.update(name, values, condition))
                .map(config -> Responses.changed(View.of(Lookup.found(config, ErrorCode.CONFIG_NOT_FOUND, name)), dry));
    }

    @DELETE
    @Path("/{name}")
    @Operation(operationId = "deleteConfig", summary = "Delete a config.")
    @Fails({ErrorCode.CONFIG_NOT_FOUND, ErrorCode.PRECONDITION_FAILED, ErrorCode.CONFLICT})
    public Uni<RestResponse<Void>> delete(
            @RestPath String name,
            @RestHeader(EntityTags.IF_MATCH) List<String> ifMatch,
            @RestQuery(DryRunParameter.NAME) @Nullable String dryRun) {
        var dry = DryRunParameter.read(dryRun);
        var condition = EntityTags.ifMatch(ifMatch);
        return write(dry, writer -> writer.delete(name, condition))
                .map(was -> Responses.deleted(was, ErrorCode.CONFIG_NOT_FOUND, name));
    }

    private <T extends @Nullable Object> Uni<T> write(boolean dryRun, Function<ConfigStore, Uni<T>> write) {
        return dryRuns.write(dryRun, store, ConfigStore::new, write);
    }
}
