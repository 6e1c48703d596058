package io.taskexec.store.metrics;

import io.micrometer.core.instrument.Counter;
import io.taskexec.observe.metrics.Meters;

/** Counts the executions that the limits of flow keys have held back, and those that were released. */
public final class FlowMetrics {
    private final Counter admitted;
    private final Counter parked;
    private final Counter delayed;
    private final Counter released;

    FlowMetrics(Meters meters) {
        admitted = meters.counter("taskexec.flow.admitted", "Executions with a flow key that its limits let begin");
        parked = meters.counter("taskexec.flow.parked", "Executions that were parked in the line of their flow key");
        delayed = meters.counter("taskexec.flow.delayed", "Executions that waited less than a second for a token");
        released = meters.counter("taskexec.flow.released", "Executions that were released from the line");
    }

    public void admitted(long executions) {
        admitted.increment((double) executions);
    }

    public void parked(long executions) {
        parked.increment((double) executions);
    }

    public void delayed(long executions) {
        delayed.increment((double) executions);
    }

    public void released(long executions) {
        released.increment((double) executions);
    }
}
