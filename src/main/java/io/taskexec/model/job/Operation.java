package io.taskexec.model.job;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Something that is done to many executions, one batch after the other.
 *
 * @param max how many executions it changes at most; null for all that there are
 * @param total how many there were when it was created; null when they were too many to count
 * @param position the last execution that has been looked at
 * @param done how many executions have been changed
 * @param skipped how many could not be changed
 */
public record Operation(
        UUID id,
        OperationAction action,
        ExecutionSelection selection,
        OperationStatus status,
        int ratePerSec,
        @Nullable Long max,
        @Nullable Long total,
        UUID position,
        long done,
        long skipped,
        Instant createdAt,
        @Nullable Instant startedAt,
        @Nullable Instant endedAt) {}
