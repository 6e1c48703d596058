package io.taskexec.cli.noun;

import io.taskexec.cli.option.JsonFields;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for fields of a job that can be set and changed. */
final class JobFieldOptions {
    @Option(names = "--cron", paramLabel = "EXPRESSION", description = "Cron expression; see 'taskexec cron next'.")
    private @Nullable String cron;

    @Option(names = "--tz", paramLabel = "ZONE", description = "Time zone of the cron expression; a new job has UTC.")
    private @Nullable String timezone;

    @Option(names = "--every", paramLabel = "DURATION", description = "Interval of a schedule, such as 15m.")
    private @Nullable String every;

    @Option(names = "--tag", description = "Tag; may be repeated. An update replaces all tags.")
    private List<String> tags = List.of();

    @Option(names = "--queue", paramLabel = "NAME", description = "Queue; the default is that of the endpoint.")
    private @Nullable String queue;

    @Option(names = "--priority", description = "Priority, from 0, the most urgent, to 7.")
    private @Nullable Integer priority;

    @Option(
            names = "--ttl",
            paramLabel = "DURATION",
            description = "Time after which an execution that has not begun expires, such as 10m.")
    private @Nullable String ttl;

    @Option(names = "--input", paramLabel = "JSON", description = "Input. An update merges it; null removes a field.")
    private @Nullable String input;

    boolean hasCron() {
        return cron != null;
    }

    boolean hasInterval() {
        return every != null;
    }

    void addTo(JsonFields job) {
        job.put("cron", cron)
                .put("timezone", timezone)
                .putDuration("every", every)
                .putName("queue", "queues", queue)
                .put("priority", priority)
                .putDuration("ttl", ttl);
        job.putJson("input", "--input", input);
        if (!tags.isEmpty()) {
            tags.forEach(job.fields().putArray("tags")::add);
        }
    }
}
