package io.taskexec.worker.observe;

import jakarta.inject.Singleton;

/** The spans and the metrics of attempts. */
@Singleton
public final class AttemptObservation {
    private final AttemptSpans spans;
    private final AttemptMetrics metrics;

    AttemptObservation(AttemptSpans spans, AttemptMetrics metrics) {
        this.spans = spans;
        this.metrics = metrics;
    }

    public AttemptSpans spans() {
        return spans;
    }

    public AttemptMetrics metrics() {
        return metrics;
    }
}
