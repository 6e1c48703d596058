package io.taskexec.client.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request to run something: once, later, or by a schedule.
 *
 * @param when any JSON
 * @param input any JSON
 */
public record Job(
        @Nullable String cron,
        @Nullable JsonNode dst,
        @Nullable String timezone,
        @Nullable Pause pause,
        @Nullable String setAsideReason,
        @Nullable Long fires,
        @Nullable String overlap,
        @Nullable Duration jitter,
        @Nullable Integer maxFires,
        @Nullable JsonNode catchUp,
        @Nullable Instant lastTickAt,
        @Nullable Instant startsAt,
        @Nullable Duration every,
        @Nullable Instant endsAt,
        @Nullable Instant nextRunAt,
        String jobId,
        @Nullable String endpoint,
        @Nullable JsonNode target,
        String endpointType,
        @Nullable Integer endpointVersion,
        String trigger,
        String status,
        int version,
        @Nullable String previousVersionId,
        @Nullable String replacedById,
        String queue,
        @Nullable String flowKey,
        int priority,
        @Nullable Duration ttl,
        @Nullable Instant expiresAt,
        @Nullable Instant deadline,
        @Nullable List<Parent> dependsOn,
        @Nullable String triggerRule,
        @Nullable JsonNode when,
        @Nullable Long timeoutMs,
        @Nullable List<String> retryOn,
        @Nullable List<String> noRetryOn,
        List<String> tags,
        @Nullable String idempotencyKey,
        @Nullable Instant runAt,
        @Nullable JsonNode input,
        @Nullable Execution execution,
        @Nullable String traceId,
        @Nullable String supersededJobId,
        Instant createdAt) {
    /**
     * A job that this one waits for.
     *
     * @param jobId its id
     * @param name its name in templates
     */
    public record Parent(String jobId, String name) {}
}
