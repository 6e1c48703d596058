package io.taskexec.model.audit;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Who did what to which resource, when and from where.
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
