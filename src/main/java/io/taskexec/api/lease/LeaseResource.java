package io.taskexec.api.lease;

import static java.util.Objects.requireNonNull;

import io.smallrye.mutiny.Uni;
import io.taskexec.api.web.Caller;
import io.taskexec.api.web.Fails;
import io.taskexec.api.web.RequestSchema;
import io.taskexec.lease.LeaseItem;
import io.taskexec.lease.LeaseRequest;
import io.taskexec.lease.LeaseResult;
import io.taskexec.lease.PullLeases;
import io.taskexec.request.ErrorCode;
import io.vertx.ext.web.RoutingContext;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.jboss.resteasy.reactive.server.Cancellable;
import org.jspecify.annotations.Nullable;

/** Leases: pull workers ask for executions of WORKER endpoints, and say how they end. */
@Path("/leases")
@Produces(MediaType.APPLICATION_JSON)
@Cancellable(false)
public class LeaseResource {
    private final PullLeases leases;

    LeaseResource(PullLeases leases) {
        this.leases = leases;
    }

    /** Claims are no part of the request: what a client that has gone did not get is handed back. */
    @POST
    @Cancellable
    @Operation(
            operationId = "leaseExecutions",
            summary = "Lease due executions of WORKER endpoints.",
            description = "Answers as soon as there is a lease, or a lease of this worker is to be stopped; otherwise"
                    + " at the end of 'wait'.")
    @RequestSchema("LeaseRequest")
    public Uni<LeaseView.Leases> lease(
            byte @Nullable [] body, @Context ContainerRequestContext request, @Context RoutingContext connection) {
        var caller = requireNonNull(Caller.of(request));
        return leases.lease(LeaseRequest.read(body), caller.keyId(), caller::mayWork, gone -> {
                    var _ = connection.addEndHandler(end -> {
                        if (end.failed()) {
                            gone.run();
                        }
                    });
                    // A handler that is added after the end is not called.
                    if (connection.response().closed()) {
                        gone.run();
                    }
                })
                .map(LeaseView.Leases::of);
    }

    @POST
    @Path("/extend")
    @Operation(
            operationId = "extendLeases",
            summary = "Extend leases, and report progress.",
            description = "One item never affects another one.")
    @RequestSchema("ExtendLeasesRequest")
    public Uni<LeaseView.Results> extend(byte @Nullable [] body, @Context ContainerRequestContext request) {
        var extension = LeaseItem.extensions(body);
        return results(extension.items(), leases.extend(extension, mayWork(request)));
    }

    @POST
    @Path("/complete")
    @Operation(operationId = "completeLeases", summary = "Say that attempts have succeeded.")
    @RequestSchema("CompleteLeasesRequest")
    public Uni<LeaseView.Results> complete(byte @Nullable [] body, @Context ContainerRequestContext request) {
        var items = LeaseItem.completions(body);
        return results(items, leases.complete(items, mayWork(request)));
    }

    @POST
    @Path("/fail")
    @Operation(operationId = "failLeases", summary = "Say that attempts have failed.")
    @RequestSchema("FailLeasesRequest")
    public Uni<LeaseView.Results> fail(byte @Nullable [] body, @Context ContainerRequestContext request) {
        var items = LeaseItem.failures(body);
        return results(items, leases.fail(items, mayWork(request)));
    }

    @POST
    @Path("/defer")
    @Operation(
            operationId = "deferLeases",
            summary = "Leave attempts to callbacks.",
            description = "For endpoints whose completion has the mode 'callback'.")
    @RequestSchema("DeferLeasesRequest")
    @Fails(ErrorCode.PUBLIC_URL_REQUIRED)
    public Uni<LeaseView.Results> defer(byte @Nullable [] body, @Context ContainerRequestContext request) {
        var items = LeaseItem.deferrals(body);
        return results(items, leases.defer(items, mayWork(request)));
    }

    @POST
    @Path("/release")
    @Operation(
            operationId = "releaseLeases",
            summary = "Hand attempts back.",
            description = "No failure is counted, and their executions are due at once.")
    @RequestSchema("ReleaseLeasesRequest")
    public Uni<LeaseView.Results> release(byte @Nullable [] body, @Context ContainerRequestContext request) {
        var items = LeaseItem.releases(body);
        return results(items, leases.release(items, mayWork(request)));
    }

    private static Predicate<String> mayWork(ContainerRequestContext request) {
        return requireNonNull(Caller.of(request))::mayWork;
    }

    private static Uni<LeaseView.Results> results(List<? extends LeaseItem> items, Uni<List<LeaseResult>> results) {
        return results.map(done -> new LeaseView.Results(IntStream.range(0, items.size())
                .mapToObj(i -> LeaseView.Result.of(items.get(i).lease(), done.get(i)))
                .toList()));
    }
}
