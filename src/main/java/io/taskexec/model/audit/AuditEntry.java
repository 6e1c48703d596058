package io.taskexec.model.audit;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An entry of the audit log: the actor, the action, the resource, the time and the address.
 *
 * @param resource the name or public id of it
 */
public record AuditEntry(
        UUID id,
        Instant at,
        String actor,
        String action,
        String resourceKind,
        String resource,
        String requestId,
        String remoteAddress,
        @Nullable JsonNode details) {}
