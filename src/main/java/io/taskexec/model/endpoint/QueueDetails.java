package io.taskexec.model.endpoint;

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
    /**
     * The settings of a queue.
     *
     * @param weight its share of the claims while other queues have work too, 1 to 100
     * @param aging the time of waiting by which an execution gains one priority; null for none
     */
    public record Settings(int weight, @Nullable Duration aging) {
        /** Of a queue that was created by an endpoint that names it. */
        public static final Settings DEFAULT = new Settings(1, null);
    }

    /**
     * A time in which nothing of the queue begins.
     *
     * @param until null for an open end
     */
    public record Pause(
            Instant from, @Nullable Instant until, @Nullable String reason) {}
}
