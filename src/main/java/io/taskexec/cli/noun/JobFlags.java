package io.taskexec.cli.noun;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.cli.Durations;
import io.taskexec.cli.GivenOptions;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** A job as options. */
final class JobFlags {
    @Option(names = "--endpoint", paramLabel = "NAME", description = "What it is delivered to.")
    private @Nullable String endpoint;

    @Option(names = "--input", paramLabel = "JSON", description = "Its input.")
    private @Nullable String input;

    @Option(names = "--at", paramLabel = "TIME", description = "When it runs: a time with offset.")
    private @Nullable String at;

    @Option(names = "--delay", paramLabel = "DURATION", description = "In how long it runs, such as 90s, 15m or 2d.")
    private @Nullable String delay;

    @Option(names = "--cron", paramLabel = "EXPRESSION", description = "A schedule; see 'taskexec cron next'.")
    private @Nullable String cron;

    @Option(names = "--tz", defaultValue = "UTC", paramLabel = "ZONE", description = "Of --cron; ${DEFAULT-VALUE}.")
    private String timezone = "";

    @Option(names = "--every", paramLabel = "DURATION", description = "A schedule at an interval, such as 15m.")
    private @Nullable String every;

    @Option(names = "--key", description = "The idempotency key; without one, of a job that runs once, a random one.")
    private @Nullable String key;

    @Option(names = "--tag", description = "A tag to find it by; may be repeated.")
    private List<String> tags = List.of();

    @Option(names = "--priority", description = "0, the most urgent, to 7.")
    private @Nullable Integer priority;

    boolean areGiven() {
        return endpoint != null;
    }

    ObjectNode job(CommandSpec spec) {
        var job = JsonNodeFactory.instance.objectNode().put("endpoint", endpoint);
        schedule(job, spec);
        if (key != null) {
            job.put("idempotency_key", key);
        } else if (cron == null && every == null) {
            job.put("idempotency_key", "cli-" + UUID.randomUUID());
        }
        if (!tags.isEmpty()) {
            tags.forEach(job.putArray("tags")::add);
        }
        if (priority != null) {
            job.put("priority", priority);
        }
        if (input != null) {
            job.set("input", JsonOption.read(spec, "--input", input));
        }
        return job;
    }

    private void schedule(ObjectNode job, CommandSpec spec) {
        var said = (at == null ? 0 : 1) + (delay == null ? 0 : 1) + (cron == null ? 0 : 1) + (every == null ? 0 : 1);
        if (said > 1) {
            throw new ParameterException(spec.commandLine(), "Say at most one of --at, --delay, --cron and --every.");
        }
        if (cron == null) {
            GivenOptions.refuse(spec, Set.of("--tz"), "without --cron");
        }
        if (cron != null || every != null) {
            GivenOptions.refuse(spec, WaitOptions.NAMES, "with a schedule, which does not end");
        }
        if (at != null) {
            job.put("trigger", "DELAYED").put("run_at", at);
        } else if (delay != null) {
            job.put("trigger", "DELAYED").put("delay", Durations.iso(delay));
        } else if (cron != null) {
            job.put("trigger", "CRON").put("cron", cron).put("timezone", timezone);
        } else if (every != null) {
            job.put("trigger", "INTERVAL").put("every", Durations.iso(every));
        } else {
            job.put("trigger", "IMMEDIATE");
        }
    }
}
