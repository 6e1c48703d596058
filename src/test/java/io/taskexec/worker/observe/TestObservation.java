package io.taskexec.worker.observe;

import io.taskexec.observe.metrics.Meters;
import io.taskexec.observe.trace.TestTracing;
import io.taskexec.store.activity.ActivityCounts;

/** No spans, and no metrics that are read. */
public final class TestObservation {
    private TestObservation() {}

    public static AttemptObservation off() {
        return new AttemptObservation(
                new AttemptSpans(TestTracing.off()),
                new AttemptMetrics(
                        Meters.none(), new EndpointMetrics(Meters.none()), new RecentAttempts(), new ActivityCounts()));
    }
}
