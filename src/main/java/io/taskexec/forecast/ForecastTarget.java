package io.taskexec.forecast;

import io.taskexec.store.forecast.DelayedStarts.InMinutes;
import io.taskexec.store.forecast.PastStarts.Past;
import io.taskexec.store.job.PlannedSchedules.Planned;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint, or a queue with limits, with what is known of its starts.
 *
 * @param isQueue whether it is a queue
 */
record ForecastTarget(String name, boolean isQueue, List<Planned> schedules, List<InMinutes> delayed, List<Past> past) {
    static ForecastTarget of(String name, boolean isQueue) {
        return new ForecastTarget(name, isQueue, new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    }

    @Nullable
    String endpoint() {
        return isQueue ? null : name;
    }

    @Nullable
    String queue() {
        return isQueue ? name : null;
    }

    /** The mean duration of an execution in milliseconds, null when none has ended. */
    @Nullable
    Double meanMs() {
        var ended = past.stream().mapToLong(Past::ended).sum();
        return ended == 0 ? null : past.stream().mapToLong(Past::totalMs).sum() / (double) ended;
    }
}
