package io.taskexec.store.metrics;

import io.micrometer.core.instrument.Counter;
import io.taskexec.observe.metrics.Meters;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Counts the runs of workflows. */
public final class WorkflowMetrics {
    private final Counter started;
    private final Map<String, Counter> ended;

    WorkflowMetrics(Meters meters) {
        started = meters.counter("taskexec.workflows.started", "Runs of workflows that were started");
        ended = List.of("success", "failed", "cancelled").stream()
                .collect(Collectors.toUnmodifiableMap(
                        Function.identity(),
                        outcome -> meters.counter(
                                "taskexec.workflows.ended", "Runs of workflows that have ended", "outcome", outcome)));
    }

    public void started() {
        started.increment();
    }

    /** Counts the end of one: {@code success}, {@code failed} or {@code cancelled}. */
    public void ended(String outcome) {
        Objects.requireNonNull(ended.get(outcome)).increment();
    }
}
