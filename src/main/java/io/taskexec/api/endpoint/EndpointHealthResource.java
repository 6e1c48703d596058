package io.taskexec.api.endpoint;

import static java.util.Objects.requireNonNull;

import io.smallrye.mutiny.Uni;
import io.taskexec.api.web.Caller;
import io.taskexec.api.web.Fails;
import io.taskexec.api.web.ListView;
import io.taskexec.api.web.Paging;
import io.taskexec.model.OperationSummary;
import io.taskexec.model.PublicId;
import io.taskexec.model.endpoint.Breaker;
import io.taskexec.model.endpoint.EndpointEvent;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Lookup;
import io.taskexec.store.endpoint.BreakerStore;
import io.taskexec.store.endpoint.EndpointStore;
import io.taskexec.store.flow.AdaptiveLimitStore;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jboss.resteasy.reactive.RestPath;
import org.jboss.resteasy.reactive.server.Cancellable;
import org.jspecify.annotations.Nullable;

/** The circuit breaker and the events of an endpoint. */
@Path("/endpoints/{name}")
@Produces(MediaType.APPLICATION_JSON)
@Cancellable(false)
public class EndpointHealthResource {
    private final EndpointStore endpoints;
    private final BreakerStore store;
    private final AdaptiveLimitStore limits;

    EndpointHealthResource(EndpointStore endpoints, BreakerStore store, AdaptiveLimitStore limits) {
        this.endpoints = endpoints;
        this.store = store;
        this.limits = limits;
    }

    /**
     * The circuit breaker of an endpoint.
     *
     * @param since when it came into this state; absent when it has never opened
     * @param retryAt when a delivery is tried again; absent when it is closed, and when the endpoint is disabled
     * @param reason why it came into its state, or why the endpoint is disabled
     * @param adaptiveLimit how many executions run at once because the receiver has refused more, or has just
     *     recovered; absent when they are not limited so
     */
    @Schema(name = "Breaker")
    record BreakerView(
            Breaker.State state,
            @Nullable Instant since,
            @Nullable Instant retryAt,
            @Nullable String reason,
            @Nullable Integer adaptiveLimit) {
        static BreakerView of(@Nullable Breaker breaker, @Nullable Integer limit) {
            return breaker == null
                    ? new BreakerView(Breaker.State.CLOSED, null, null, null, limit)
                    : new BreakerView(
                            breaker.state(),
                            breaker.since(),
                            isTriedAgain(breaker) ? breaker.retryAt() : null,
                            breaker.reason(),
                            limit);
        }
    }

    private static boolean isTriedAgain(Breaker breaker) {
        return switch (breaker.state()) {
            case OPEN, HALF_OPEN -> true;
            case CLOSED, DISABLED -> false;
        };
    }

    /** Something that happened to deliveries to an endpoint. */
    @Schema(name = "EndpointEvent")
    record EventView(String eventId, EndpointEvent.Kind kind, String message, Instant at) {
        static EventView of(EndpointEvent event) {
            return new EventView(PublicId.EVENT.show(event.id()), event.kind(), event.message(), event.at());
        }
    }

    /** Whether deliveries are made, wait, or are tried. */
    @GET
    @Path("/breaker")
    @Operation(
            operationId = "getBreaker",
            summary = OperationSummary.GET_BREAKER,
            description = "It says whether deliveries to the endpoint are made, or wait because too many of them"
                    + " failed.")
    @Fails(ErrorCode.ENDPOINT_NOT_FOUND)
    public Uni<BreakerView> breaker(@RestPath String name) {
        return existing(name).chain(() -> view(name));
    }

    /** Enables a disabled endpoint; one that is not disabled stays as it is. */
    @POST
    @Path("/enable")
    @Operation(operationId = "enableEndpoint", summary = OperationSummary.ENABLE_ENDPOINT)
    @Fails(ErrorCode.ENDPOINT_NOT_FOUND)
    public Uni<BreakerView> enable(@RestPath String name, @Context ContainerRequestContext request) {
        return enable(name, requireNonNull(Caller.of(request)).name());
    }

    /** Enables it for a caller that has come by another way than this route. */
    public Uni<BreakerView> enable(String name, String caller) {
        return existing(name)
                .chain(() -> store.enable(name, "enabled by " + caller))
                .chain(() -> view(name));
    }

    private Uni<BreakerView> view(String name) {
        return store.find(name).chain(breaker -> limits.find(name).map(limit -> BreakerView.of(breaker, limit)));
    }

    /** Lists the events of the endpoint, newest first. */
    @GET
    @Path("/events")
    @Operation(operationId = "listEndpointEvents", summary = OperationSummary.LIST_ENDPOINT_EVENTS)
    @Fails(ErrorCode.ENDPOINT_NOT_FOUND)
    public Uni<ListView<EventView>> events(@RestPath String name, @BeanParam Paging paging) {
        var after = paging.afterId();
        return existing(name)
                .chain(() -> store.events(name, paging.limit(), after))
                .map(page -> ListView.of(page, EventView::of));
    }

    private Uni<Void> existing(String name) {
        return endpoints
                .findNamed(name)
                .invoke(found -> {
                    var _ = Lookup.found(found, ErrorCode.ENDPOINT_NOT_FOUND, name);
                })
                .replaceWithVoid();
    }
}
