package io.taskexec.cli.noun;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.cli.option.JsonFields;
import io.taskexec.cli.option.WaitOptions;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Creates one queue from options, or the queues of a file. */
@Command(description = "Create a queue with options, or the queues of a file.")
final class QueueCreate extends ResourceCreate {
    @Parameters(arity = "0..1", paramLabel = "NAME", description = "Name of the queue; not with -f.")
    private @Nullable String name;

    @Mixin
    private Settings options = new Settings();

    /** Options for the settings of a queue. */
    static final class Settings {
        @Option(names = "--weight", description = "Share of the workers while other queues have work too, 1 to 100.")
        private @Nullable Integer weight;

        @Option(
                names = "--aging",
                paramLabel = "DURATION",
                description = "Time of waiting by which an execution gains one priority, such as 5m.")
        private @Nullable String aging;

        @Option(names = "--max-concurrency", description = "Executions that run at once, over all workers.")
        private @Nullable Integer maxConcurrency;

        @Option(
                names = "--rate",
                paramLabel = "JSON",
                description = "Rate limit, such as '{\"limit\": 100, \"per\": \"PT1M\", \"burst\": 20}'.")
        private @Nullable String rate;

        @Option(
                names = "--ttl",
                paramLabel = "DURATION",
                description = "Time in which an execution must begin, for jobs that state none, such as 1h.")
        private @Nullable String ttl;

        boolean isEmpty() {
            return Stream.of(weight, aging, maxConcurrency, rate, ttl).allMatch(Objects::isNull);
        }

        void addTo(JsonFields queue) {
            queue.put("weight", weight)
                    .putDuration("aging", aging)
                    .put("max_concurrency", maxConcurrency)
                    .putJson("rate", "--rate", rate)
                    .putDuration("ttl", ttl);
        }
    }

    @Override
    public Integer call() {
        if (hasFile() == (name != null)) {
            throw invalid("Set either a NAME, or a file with -f.");
        }
        if (hasFile()) {
            return fromFile(QueueCommands.QUEUES, new WaitOptions());
        }
        var queue = JsonNodeFactory.instance.objectNode().put("name", name);
        options.addTo(new JsonFields(queue, spec()));
        return one(QueueCommands.QUEUES, queue, new WaitOptions());
    }
}
