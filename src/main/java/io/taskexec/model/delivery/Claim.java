package io.taskexec.model.delivery;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.TraceContext;
import io.taskexec.model.job.JobOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A leased execution as a worker receives it.
 *
 * @param leaseToken fences every later write: it changes with each claim
 * @param attempt number of the attempt that this claim begins
 * @param failures attempts that failed before, which is what the retry budget counts
 * @param rescues attempts lost before, which have a limit of their own
 * @param configVersion version of the endpoint's config that this execution is pinned to, if it has one
 * @param secretEpoch changes whenever any secret does
 * @param trace the trace that its job continues, if any
 * @param unreadable why its job cannot be read, which leaves out the endpoint and the input; null when it can
 * @param flowId the flow key in which it holds a place; null for none
 * @param expiresIn from the claim on, how long an attempt may begin: not positive when it has expired; null for ever
 * @param options of its job
 * @param hasParents whether its job depends on others
 * @param hasChildren whether others wait for it already
 * @param isDeferred whether its attempt was delivered before, and its receiver is to say how it ends
 */
public record Claim(
        UUID executionId,
        UUID jobId,
        long leaseToken,
        int attempt,
        int failures,
        int rescues,
        String endpoint,
        int endpointVersion,
        @Nullable Integer configVersion,
        long secretEpoch,
        @Nullable JsonNode input,
        Instant runAt,
        @Nullable TraceContext trace,
        @Nullable String unreadable,
        @Nullable Long flowId,
        @Nullable Duration expiresIn,
        JobOptions options,
        boolean hasParents,
        boolean hasChildren,
        boolean isDeferred) {
    /** An execution that was interrupted so many times runs to its end. */
    public static final int MOST_INTERRUPTIONS = 3;

    /** Counts the attempts that neither failed nor lost their worker. */
    public int interruptions() {
        return attempt - 1 - failures - rescues;
    }

    /** The same without the input, which may be large. */
    public Claim withoutInput() {
        return new Claim(
                executionId,
                jobId,
                leaseToken,
                attempt,
                failures,
                rescues,
                endpoint,
                endpointVersion,
                configVersion,
                secretEpoch,
                null,
                runAt,
                trace,
                unreadable,
                flowId,
                expiresIn,
                options,
                hasParents,
                hasChildren,
                isDeferred);
    }
}
