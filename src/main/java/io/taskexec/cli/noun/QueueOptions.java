package io.taskexec.cli.noun;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for the settings of a queue. */
final class QueueOptions {
    @Option(names = "--weight", description = "Share of the workers while other queues have work too, 1 to 100.")
    private @Nullable Integer weight;

    @Option(
            names = "--aging",
            paramLabel = "DURATION",
            description = "Time of waiting by which an execution gains one priority, such as 5m.")
    private @Nullable String aging;

    boolean isEmpty() {
        return weight == null && aging == null;
    }

    void addTo(JsonFields queue) {
        queue.put("weight", weight).putDuration("aging", aging);
    }
}
