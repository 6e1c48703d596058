package io.taskexec.api.overview;

import io.smallrye.mutiny.Uni;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.eclipse.microprofile.openapi.annotations.Operation;

/** The overview: what waits, who works, and which receivers are busy. */
@Path("/overview")
@Produces(MediaType.APPLICATION_JSON)
public class OverviewResource {
    private final OverviewReader reader;

    OverviewResource(OverviewReader reader) {
        this.reader = reader;
    }

    @GET
    @Operation(
            operationId = "getOverview",
            summary = "Get a snapshot of queues, workers and endpoints.",
            description = "It costs a few milliseconds, however much waits: counts stop at a limit, and those in 'more'"
                    + " are lower bounds. Lists have the busiest entries and the number of all. A snapshot is at most"
                    + " half a second old; what workers tell in it at most about five.")
    public Uni<OverviewView> get() {
        return reader.read();
    }
}
