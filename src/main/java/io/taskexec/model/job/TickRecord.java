package io.taskexec.model.job;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A line of the ledger of a schedule.
 *
 * @param executionId of a tick that fired
 * @param lateness from the tick's time to the decision about it
 */
public record TickRecord(
        Instant scheduledAt, TickOutcome outcome, @Nullable UUID executionId, Duration lateness) {}
