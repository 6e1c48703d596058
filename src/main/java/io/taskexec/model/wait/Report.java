package io.taskexec.model.wait;

import java.time.Duration;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A report of a receiver whose work goes on.
 *
 * @param extend the time from now on that it needs; null for no more than it has
 * @param current units that are done; null where no progress is reported
 * @param total units in all; null when it is not known
 * @param message of the progress, if any
 */
public record Report(
        @Nullable Duration extend,
        @Nullable Double current,
        @Nullable Double total,
        @Nullable String message) {
    /** The same with {@code redact} applied to its message. */
    public Report redacted(UnaryOperator<String> redact) {
        return message == null ? this : new Report(extend, current, total, redact.apply(message));
    }
}
