package io.taskexec.model.job;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.endpoint.EndpointType;
import io.taskexec.model.wait.Deferral;
import io.taskexec.model.wait.Progress;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One firing of a job.
 *
 * @param attemptCount attempts begun so far
 * @param maxAttempts attempts that may fail before the execution does
 * @param configVersion the config version that all its attempts use, once the first has begun
 * @param runAt when it was meant to start
 * @param nextAttemptAt when it becomes due, or due again, while it waits
 * @param startedAt when its latest attempt began
 * @param duration of its latest attempt, once it has ended
 * @param deferral what it waits for while it is deferred
 * @param progress that its receiver has reported, if any
 * @param retriedAs the execution that repeats it, the latest one when there are several
 */
public record Execution(
        UUID id,
        UUID jobId,
        String endpoint,
        int endpointVersion,
        EndpointType endpointType,
        ExecutionStatus status,
        int attemptCount,
        int maxAttempts,
        @Nullable Integer configVersion,
        @Nullable JsonNode output,
        @Nullable JsonNode error,
        Instant runAt,
        @Nullable Instant nextAttemptAt,
        @Nullable Instant startedAt,
        @Nullable Instant completedAt,
        @Nullable Duration duration,
        Instant createdAt,
        @Nullable UUID retriedAs,
        @Nullable Deferral deferral,
        @Nullable Progress progress) {}
