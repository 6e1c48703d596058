package io.taskexec.model.job;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.dependency.Dependencies;
import io.taskexec.model.endpoint.EndpointType;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An invocation of an endpoint; immutable.
 *
 * @param endpointVersion the version of the endpoint that was current when the job was created
 * @param namesQueue whether it waits in another queue than that of its endpoint
 * @param flowKey in the flow control of its endpoint, empty for the endpoint's own; null without
 * @param priority 0, the most urgent, to 7
 * @param version of a schedule, from 1; each version is a job of its own
 * @param expiry of each of its executions
 * @param dependencies the jobs that it waits for; null for none
 * @param options that few jobs have
 * @param tags in the order of the alphabet
 * @param traceId of the trace that it was created in, if there was one
 * @param execution the execution of a one-shot job
 */
public record Job(
        UUID id,
        String endpoint,
        int endpointVersion,
        EndpointType endpointType,
        Trigger trigger,
        JobStatus status,
        int version,
        @Nullable UUID previousVersionId,
        @Nullable UUID replacedById,
        String queue,
        boolean namesQueue,
        @Nullable String flowKey,
        int priority,
        Expiry expiry,
        @Nullable Dependencies dependencies,
        JobOptions options,
        List<String> tags,
        @Nullable String idempotencyKey,
        @Nullable JsonNode input,
        Instant createdAt,
        @Nullable String traceId,
        @Nullable Execution execution) {}
