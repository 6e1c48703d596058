package io.taskexec.worker;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Tells what follows from one round of claims.
 *
 * @param isShort whether all that was due has been claimed; otherwise the next round follows at once
 * @param untilDue how long until the next execution becomes due, zero or less when one is; null when none waits
 */
record Round(boolean isShort, @Nullable Duration untilDue) {
    static final Round FULL = new Round(false, null);

    static Round untilDue(@Nullable Duration time) {
        return new Round(true, time);
    }
}
