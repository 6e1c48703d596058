package io.taskexec.client.model;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Progress that a task has reported, and when it will be done at this rate.
 *
 * @param current units that are done
 * @param total units in all
 * @param ratePerSec units a second, over the last 30 to 60 seconds of reports
 * @param estimatedCompletionAt when all will be done, at this rate
 */
public record Progress(
        int attempt,
        double current,
        @Nullable Double total,
        @Nullable Double percent,
        @Nullable String message,
        @Nullable Double ratePerSec,
        @Nullable Instant estimatedCompletionAt,
        Instant reportedAt) {}
