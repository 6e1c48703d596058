package io.taskexec.model.queue;

import io.taskexec.model.flow.RateLimit;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A queue with its settings.
 *
 * @param version changes with everything that is shown of it, also when a pause ends by itself
 * @param pause the pause that is in force; null for none
 */
public record QueueDetails(
        String name,
        Settings settings,
        int version,
        Instant createdAt,
        Instant updatedAt,
        @Nullable Pause pause) {
    /** The time in which a queue that was paused gets all slots of the workers, step by step. */
    public static final Duration SLOW_START = Duration.ofSeconds(10);

    /**
     * The settings of a queue.
     *
     * @param weight its share of the claims while other queues have work too, 1 to 100
     * @param aging the time of waiting by which an execution gains one priority; null for none
     * @param maxConcurrency executions that run at once, over all workers; null for any number
     * @param rate null for any rate
     * @param ttl the time in which the executions of jobs that state none must begin; null for any time
     */
    public record Settings(
            int weight,
            @Nullable Duration aging,
            @Nullable Integer maxConcurrency,
            @Nullable RateLimit rate,
            @Nullable Duration ttl) {
        /** Of a queue that was created by an endpoint that names it. */
        public static final Settings DEFAULT = new Settings(1, null, null, null, null);

        /** Whether only so many executions may begin. */
        public boolean isLimited() {
            return maxConcurrency != null || rate != null;
        }
    }

    /**
     * A time in which nothing of the queue begins.
     *
     * @param until null for an open end
     */
    public record Pause(
            Instant from, @Nullable Instant until, @Nullable String reason) {}
}
