package io.taskexec.model;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The progress of a repeated task, by the monotonic clock. A wait that the task has chosen does not count as
 * these.
 *
 * @param sinceSuccess since it last succeeded, null when it never has
 * @param stuck how long it has been about something that neither succeeds nor fails
 * @param failing how long it has gone without the success that was due
 */
public record TaskProgress(@Nullable Duration sinceSuccess, Duration stuck, Duration failing) {
    /** Of what nothing is expected, and nothing has been heard. */
    public static final TaskProgress NONE = new TaskProgress(null, Duration.ZERO, Duration.ZERO);

    /** Combines both: the last success of either, and the longer failure. */
    public TaskProgress and(TaskProgress other) {
        return new TaskProgress(
                earlier(sinceSuccess, other.sinceSuccess), longer(stuck, other.stuck), longer(failing, other.failing));
    }

    private static @Nullable Duration earlier(@Nullable Duration one, @Nullable Duration other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return one.compareTo(other) <= 0 ? one : other;
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) >= 0 ? one : other;
    }
}
