package io.taskexec.api.auth;

import io.smallrye.mutiny.Uni;
import io.taskexec.api.approval.ApprovalResource;
import io.taskexec.api.endpoint.EndpointHealthResource;
import io.taskexec.api.execution.BulkResource;
import io.taskexec.api.job.JobBatchResource;
import io.taskexec.api.job.JobResource;
import io.taskexec.api.job.LedgerResource;
import io.taskexec.api.job.ScheduleControlResource;
import io.taskexec.api.lease.LeaseResource;
import io.taskexec.api.web.Caller;
import io.taskexec.api.web.DryRunParameter;
import io.taskexec.api.web.TraceHeaders;
import io.taskexec.api.web.UnchangedWrite;
import io.taskexec.api.workflow.WorkflowResource;
import io.taskexec.request.RequestId;
import io.taskexec.store.auth.AuditStore;
import io.vertx.core.http.HttpServerRequest;
import jakarta.inject.Provider;
import jakarta.inject.Singleton;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerResponseContext;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jboss.resteasy.reactive.server.ServerResponseFilter;
import org.jboss.resteasy.reactive.server.SimpleResourceInfo;
import org.jspecify.annotations.Nullable;

/**
 * Records every write that succeeded, except that jobs were created, which the jobs say themselves, and that a signal
 * of pressure was told again, which happens every few seconds. The answer waits
 * for the record, so that who got one finds it, but neither long nor when the record fails.
 */
@Singleton
final class Auditing {
    private static final Set<Class<?>> CREATING_JOBS =
            Set.of(JobResource.class, JobBatchResource.class, WorkflowResource.class);
    private static final Map<Class<?>, String> KINDS = Map.of(
            ScheduleControlResource.class, "job",
            LedgerResource.class, "job",
            BulkResource.class, "operation",
            EndpointHealthResource.class, "endpoint");
    private static final int CREATED = 201;
    private static final int FIRST_ERROR = 300;

    private final Provider<AuditLog> log;

    /** @param log asked for with each write, because filters are made before there is a database */
    Auditing(Provider<AuditLog> log) {
        this.log = log;
    }

    /** Returns null when there is nothing to record. */
    @ServerResponseFilter
    public @Nullable Uni<Void> audit(
            ContainerRequestContext request,
            ContainerResponseContext response,
            SimpleResourceInfo resource,
            HttpServerRequest connection) {
        var caller = Caller.of(request);
        if (caller == null || response.getStatus() >= FIRST_ERROR) {
            return null;
        }
        var type = resource.getResourceClass();
        if (Permission.isReading(request.getMethod(), type)) {
            return null;
        }
        var action = action(resource);
        if (action.equals("create") && CREATING_JOBS.contains(type)) {
            return null;
        }
        if (type == LeaseResource.class) {
            // The executions say themselves who ran them.
            return null;
        }
        if (type == ApprovalResource.class) {
            // Its decisions are recorded by the statement that makes them.
            return null;
        }
        if (UnchangedWrite.isNoted(request)) {
            return null;
        }
        if (DryRunParameter.isSet(request) || (type == BulkResource.class && response.getStatus() != CREATED)) {
            // A dry run.
            return null;
        }
        var write = AuditStore.Write.of(
                caller.name(),
                action,
                kind(type),
                nameOf(request, response),
                RequestId.of(request),
                String.valueOf(connection.remoteAddress().hostAddress()),
                AuditLog.details(caller));
        return log.get().record(write, TraceHeaders.of(request));
    }

    /** Methods of resources are called as what they do. */
    private static String action(SimpleResourceInfo resource) {
        return resource.getMethodName();
    }

    /** {@code payload_spec} of PayloadSpecResource. */
    static String kind(Class<?> resource) {
        return KINDS.getOrDefault(
                resource,
                resource.getSimpleName()
                        .replaceFirst("Resource$", "")
                        .replaceAll("(?<=[a-z])(?=[A-Z])", "_")
                        .toLowerCase(Locale.ROOT));
    }

    /** From the path or, when it has just been created, from where it is now. */
    private static String nameOf(ContainerRequestContext request, ContainerResponseContext response) {
        var parameters = request.getUriInfo().getPathParameters();
        for (var parameter : List.of("name", "id")) {
            var value = parameters.getFirst(parameter);
            if (value != null) {
                var key = parameters.getFirst("key");
                return key == null ? value : value + "/" + key;
            }
        }
        var location = response.getHeaders().getFirst("Location");
        var path = location == null ? request.getUriInfo().getPath() : location.toString();
        return path.substring(path.lastIndexOf('/') + 1);
    }
}
