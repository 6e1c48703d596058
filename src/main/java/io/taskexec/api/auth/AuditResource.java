package io.taskexec.api.auth;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.taskexec.api.web.ListView;
import io.taskexec.api.web.Paging;
import io.taskexec.model.PublicId;
import io.taskexec.model.audit.AuditEntry;
import io.taskexec.store.auth.AuditStore;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jboss.resteasy.reactive.RestQuery;
import org.jspecify.annotations.Nullable;

/** The audit log. */
@Path("/audit")
@Produces(MediaType.APPLICATION_JSON)
public class AuditResource {
    private final AuditStore store;

    AuditResource(AuditStore store) {
        this.store = store;
    }

    /** An entry as it is shown. */
    @Schema(name = "AuditEntry")
    record View(
            String auditId,
            Instant at,
            String actor,
            String action,
            String kind,
            String resource,
            String requestId,
            String remoteAddress,
            @Nullable JsonNode details) {
        static View of(AuditEntry entry) {
            return new View(
                    PublicId.AUDIT.show(entry.id()),
                    entry.at(),
                    entry.actor(),
                    entry.action(),
                    entry.resourceKind(),
                    entry.resource(),
                    entry.requestId(),
                    entry.remoteAddress(),
                    entry.details());
        }
    }

    @GET
    @Operation(operationId = "listAudit", summary = "List changes and who made them, newest first.")
    public Uni<ListView<View>> list(
            @BeanParam Paging paging, @RestQuery @Nullable String actor, @RestQuery @Nullable String kind) {
        return store.list(new AuditStore.Filter(actor, kind), paging.limit(), paging.afterId())
                .map(page -> ListView.of(page, View::of));
    }
}
