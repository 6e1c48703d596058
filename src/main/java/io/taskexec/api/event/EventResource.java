package io.taskexec.api.event;

import io.smallrye.mutiny.Uni;
import io.taskexec.api.web.Caller;
import io.taskexec.api.web.Fails;
import io.taskexec.api.web.QueryText;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.ext.web.RoutingContext;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import java.util.Objects;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.jboss.resteasy.reactive.RestHeader;
import org.jboss.resteasy.reactive.RestQuery;
import org.jspecify.annotations.Nullable;

/** The stream of events, as server-sent events. */
@Path("/events")
@Produces({MediaType.SERVER_SENT_EVENTS, MediaType.APPLICATION_JSON})
class EventResource {
    private final EventFeed feed;

    EventResource(EventFeed feed) {
        this.feed = feed;
    }

    /**
     * Writes to the connection itself: the framework's own streams know neither heartbeats nor readers that are slow.
     */
    @GET
    @Operation(
            operationId = "followEvents",
            summary = "Follow the events of executions.",
            description = "A stream of server-sent events that does not end. Generated clients that read whole"
                    + " answers cannot follow it: read it with a client for server-sent events.")
    @Fails({ErrorCode.CONFLICT, ErrorCode.EVENTS_GONE})
    public Uni<Void> events(
            @BeanParam EventFilter filter,
            @RestHeader("Last-Event-ID") @Nullable String lastEventId,
            @RestQuery("last_event_id") @Nullable String lastEventIdAtFirst,
            @Context ContainerRequestContext authenticated,
            @Context RoutingContext request) {
        var wanted = filter.read();
        var last = lastEventId != null
                ? id("Last-Event-ID", lastEventId)
                : lastEventIdAtFirst != null ? id("last_event_id", lastEventIdAtFirst) : null;
        if (request.request().version() == HttpVersion.HTTP_1_0) {
            throw new ApiException(ErrorCode.INVALID_REQUEST, "Events are sent over HTTP/1.1 or newer only.");
        }
        if (request.request().method().equals(HttpMethod.HEAD)) {
            return feed.showHead(request, last);
        }
        return feed.follow(request, Objects.requireNonNull(Caller.of(authenticated)), wanted, last);
    }

    private static Long id(String name, String text) {
        try {
            var id = Long.parseLong(text);
            if (id >= 0) {
                return id;
            }
        } catch (NumberFormatException _) {
            // The same as a number that is no position.
        }
        throw QueryText.invalid(name, "the id of an event");
    }
}
