package io.taskexec.api.endpoint;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.smallrye.mutiny.Uni;
import io.taskexec.api.web.Creates;
import io.taskexec.api.web.DryRunParameter;
import io.taskexec.api.web.EntityTags;
import io.taskexec.api.web.Fails;
import io.taskexec.api.web.ListView;
import io.taskexec.api.web.Paging;
import io.taskexec.api.web.PauseRequest;
import io.taskexec.api.web.RequestSchema;
import io.taskexec.api.web.Responses;
import io.taskexec.api.web.Versioned;
import io.taskexec.job.DryRuns;
import io.taskexec.model.OperationSummary;
import io.taskexec.model.endpoint.QueueFields;
import io.taskexec.model.queue.QueueDetails;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Fields;
import io.taskexec.request.Lookup;
import io.taskexec.store.endpoint.QueueSettingsStore;
import io.taskexec.store.endpoint.QueueSettingsStore.Written;
import io.taskexec.store.job.QueueTtls;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.time.Duration;
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

/** Queues: where jobs wait. */
@Path("/queues")
@Produces(MediaType.APPLICATION_JSON)
@Cancellable(false)
public class QueueResource {
    private static final Duration MAX_AGING = Duration.ofDays(366);
    private static final Duration MAX_TTL = Duration.ofDays(366);

    private final QueueSettingsStore store;
    private final DryRuns dryRuns;
    private final QueueTtls ttls;

    QueueResource(QueueSettingsStore store, DryRuns dryRuns, QueueTtls ttls) {
        this.store = store;
        this.ttls = ttls;
        this.dryRuns = dryRuns;
    }

    /** A queue as it is shown. */
    @Schema(name = "Queue")
    record View(
            String name,
            int weight,
            @Schema(format = "duration") @Nullable String aging,
            @Nullable Integer maxConcurrency,

            @Schema(ref = "RateLimit", nullable = true) @Nullable
            ObjectNode rate,

            @Schema(format = "duration") @Nullable String ttl,
            boolean paused,
            @Nullable Instant pausedAt,
            @Nullable Instant pausedUntil,
            @Nullable String pauseReason,
            int version,
            Instant createdAt,
            Instant updatedAt)
            implements Versioned {
        static View of(QueueDetails queue) {
            var settings = queue.settings();
            var aging = settings.aging();
            var rate = settings.rate();
            var ttl = settings.ttl();
            var pause = queue.pause();
            return new View(
                    queue.name(),
                    settings.weight(),
                    aging == null ? null : aging.toString(),
                    settings.maxConcurrency(),
                    rate == null ? null : rate.toJson(),
                    ttl == null ? null : ttl.toString(),
                    pause != null,
                    pause == null ? null : pause.from(),
                    pause == null ? null : pause.until(),
                    pause == null ? null : pause.reason(),
                    queue.version(),
                    queue.createdAt(),
                    queue.updatedAt());
        }
    }

    @POST
    @Operation(
            operationId = "createQueue",
            summary = "Create a queue.",
            description = "An endpoint that names a queue creates it too.")
    @RequestSchema("NewQueue")
    @Creates
    @Fails(ErrorCode.CONFLICT)
    public Uni<RestResponse<View>> create(
            byte @Nullable [] body, @RestQuery(DryRunParameter.NAME) @Nullable String dryRun) {
        var dry = DryRunParameter.read(dryRun);
        var fields = Fields.of(body, QueueFields.NEW_QUEUE);
        var name = fields.name("name");
        var settings = settings(fields);
        return write(dry, writer -> writer.create(name, settings))
                .map(View::of)
                .map(view -> Responses.createdResource("/queues/" + name, view, dry));
    }

    @GET
    @Operation(operationId = "listQueues", summary = "List queues, newest first.")
    public Uni<ListView<View>> list(@BeanParam Paging paging) {
        return store.list(paging.byName()).map(page -> ListView.of(page, View::of));
    }

    @GET
    @Path("/{name}")
    @Operation(operationId = "getQueue", summary = "Get a queue.")
    @Fails(ErrorCode.QUEUE_NOT_FOUND)
    public Uni<RestResponse<View>> get(
            @RestPath String name, @RestHeader(EntityTags.IF_NONE_MATCH) List<String> ifNoneMatch) {
        return store.find(name)
                .map(queue -> View.of(Lookup.found(queue, ErrorCode.QUEUE_NOT_FOUND, name)))
                .map(view -> Responses.shown(view, ifNoneMatch));
    }

    @PUT
    @Path("/{name}")
    @Operation(
            operationId = "updateQueue",
            summary = "Replace the settings of a queue, or create it.",
            description = "A pause of the queue stays as it is.")
    @RequestSchema("QueueUpdate")
    @Creates
    @Fails({ErrorCode.CONFLICT, ErrorCode.PRECONDITION_FAILED})
    public Uni<RestResponse<View>> update(
            @RestPath String name,
            @RestHeader(EntityTags.IF_MATCH) List<String> ifMatch,
            byte @Nullable [] body,
            @RestQuery(DryRunParameter.NAME) @Nullable String dryRun) {
        var dry = DryRunParameter.read(dryRun);
        var condition = EntityTags.ifMatch(ifMatch);
        var fields = Fields.of(body, QueueFields.NEW_QUEUE);
        Responses.sameName(fields, name);
        fields.checkName("name", name);
        var settings = settings(fields);
        return write(dry, writer -> writer.put(name, settings, condition)).map(written -> shown(written, dry));
    }

    private static RestResponse<View> shown(Written written, boolean dryRun) {
        var view = View.of(written.queue());
        return written.isNew()
                ? Responses.createdResource("/queues/" + view.name(), view, dryRun)
                : Responses.changed(view, dryRun);
    }

    private static QueueDetails.Settings settings(Fields fields) {
        var weight = fields.integer("weight");
        var aging = positive(fields, "aging", MAX_AGING);
        var maxConcurrency = fields.optionalInteger("max_concurrency");
        var rate = fields.has("rate") ? FlowRequests.rate(fields.fields("rate")) : null;
        var ttl = positive(fields, "ttl", MAX_TTL);
        fields.check();
        return new QueueDetails.Settings(weight, aging, maxConcurrency, rate, ttl);
    }

    private static @Nullable Duration positive(Fields fields, String name, Duration longest) {
        var duration = fields.optionalDuration(name, longest);
        if (duration != null && duration.isZero()) {
            fields.violation(name, "must be positive");
        }
        return duration;
    }

    @DELETE
    @Path("/{name}")
    @Operation(
            operationId = "deleteQueue",
            summary = "Delete a queue that nothing uses.",
            description = "An endpoint that names it, an execution that has not ended and a schedule keep it.")
    @Fails({ErrorCode.QUEUE_NOT_FOUND, ErrorCode.PRECONDITION_FAILED, ErrorCode.CONFLICT})
    public Uni<RestResponse<Void>> delete(
            @RestPath String name,
            @RestHeader(EntityTags.IF_MATCH) List<String> ifMatch,
            @RestQuery(DryRunParameter.NAME) @Nullable String dryRun) {
        var dry = DryRunParameter.read(dryRun);
        var condition = EntityTags.ifMatch(ifMatch);
        return write(dry, writer -> writer.delete(name, condition))
                .map(was -> Responses.deleted(was, ErrorCode.QUEUE_NOT_FOUND, name));
    }

    /** Pauses the queue, until a time or an open end; replaces a pause that is in force. */
    @POST
    @Path("/{name}/pause")
    @Operation(
            operationId = "pauseQueue",
            summary = OperationSummary.PAUSE_QUEUE,
            description = "No execution begins later than 200 ms after the answer, until the given time, or until the"
                    + " queue is resumed. What runs goes on. The body may be left out.")
    @RequestSchema(value = "QueuePauseRequest", required = false)
    @Fails(ErrorCode.QUEUE_NOT_FOUND)
    public Uni<View> pause(@RestPath String name, byte @Nullable [] body) {
        var pause = PauseRequest.read(body, QueueFields.PAUSE);
        return store.pause(name, pause.until(), pause.reason())
                .map(queue -> View.of(Lookup.found(queue, ErrorCode.QUEUE_NOT_FOUND, name)));
    }

    /** Ends the pause. */
    @POST
    @Path("/{name}/resume")
    @Operation(operationId = "resumeQueue", summary = OperationSummary.RESUME_QUEUE)
    @Fails(ErrorCode.QUEUE_NOT_FOUND)
    public Uni<View> resume(@RestPath String name) {
        return store.resume(name).map(queue -> View.of(Lookup.found(queue, ErrorCode.QUEUE_NOT_FOUND, name)));
    }

    private <T extends @Nullable Object> Uni<T> write(boolean dryRun, Function<QueueSettingsStore, Uni<T>> write) {
        return dryRuns.write(dryRun, store, QueueSettingsStore::new, write).invoke(ttls::changed);
    }
}
