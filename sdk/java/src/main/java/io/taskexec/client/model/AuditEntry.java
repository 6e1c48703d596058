package io.taskexec.client.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A successful write, and who made it.
 *
 * @param details any JSON
 */
public record AuditEntry(
        String auditId,
        Instant at,
        String actor,
        String action,
        String kind,
        String resource,
        String requestId,
        String remoteAddress,
        @Nullable JsonNode details) {}
