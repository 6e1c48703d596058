package io.taskexec.cli.noun;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.cli.IgnoredOptions;
import io.taskexec.cli.option.JsonFields;
import io.taskexec.cli.option.WaitOptions;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Creates one job from options, or the jobs of a file. */
@Command(
        description = "Create a job from options, or the jobs of a file. A .ndjson or .jsonl file has one job in each"
                + " line; its jobs are created in batches.")
final class JobCreate extends ResourceCreate {
    @Option(names = "--endpoint", paramLabel = "NAME", description = "Endpoint that receives the job.")
    private @Nullable String endpoint;

    @Option(names = "--to", paramLabel = "URL", description = "URL that receives the job, in place of an endpoint.")
    private @Nullable String url;

    @Option(names = "--at", paramLabel = "TIME", description = "Time of the execution, with offset.")
    private @Nullable String at;

    @Option(names = "--delay", paramLabel = "DURATION", description = "Delay of the execution, such as 90s, 15m or 2d.")
    private @Nullable String delay;

    @Option(
            names = "--expires-at",
            paramLabel = "TIME",
            description = "Time at which it expires if it has not begun, with offset.")
    private @Nullable String expiresAt;

    @Option(
            names = "--deadline",
            paramLabel = "TIME",
            description = "Time from which no attempt begins, also no retry, with offset.")
    private @Nullable String deadline;

    @Option(
            names = "--depends-on",
            paramLabel = "JOB",
            split = ",",
            description = "Job that must have ended before, by its id or as name=id; can be repeated.")
    private List<String> dependsOn = List.of();

    @Option(
            names = "--trigger-rule",
            paramLabel = "RULE",
            description = "How those jobs must have ended: all_success, all_done, one_success, one_failed, none_failed,"
                    + " all_failed or always.")
    private @Nullable String triggerRule;

    @Option(names = "--key", description = "Idempotency key. The default is random for a job that runs once.")
    private @Nullable String key;

    @Option(
            names = "--on-conflict",
            paramLabel = "ACTION",
            description = "What happens when another job has the key: return (default), replace or reject.")
    private @Nullable String onConflict;

    @Option(
            names = "--max-wait",
            paramLabel = "DURATION",
            description = "With '--on-conflict replace': how long jobs of the key may be put off in all.")
    private @Nullable String maxWait;

    @Mixin
    private JobFieldOptions fields = new JobFieldOptions();

    @Option(names = "--ndjson", description = "Read a job from each line of the file, whatever its name is.")
    private boolean lines;

    @Mixin
    private WaitOptions waiting = new WaitOptions();

    @Override
    public Integer call() {
        if (Stream.of(hasFile(), endpoint != null, url != null)
                        .filter(given -> given)
                        .count()
                != 1) {
            throw invalid("Set either --endpoint or --to and the fields of one job, or a file with -f.");
        }
        if (!hasFile()) {
            IgnoredOptions.refuse(spec(), Set.of("--ndjson"), "without -f");
            return one(Nouns.JOBS, job(), waiting);
        }
        return lines || hasLines() ? fromLines() : fromFile(Nouns.JOBS, waiting);
    }

    private ObjectNode job() {
        var triggers = Stream.of(at != null, delay != null, fields.hasCron(), fields.hasInterval());
        if (triggers.filter(given -> given).count() > 1) {
            throw invalid("Set at most one of --at, --delay, --cron and --every.");
        }
        var job = JsonNodeFactory.instance.objectNode();
        var request = new JsonFields(job, spec());
        if (url == null) {
            request.putName("endpoint", "endpoints", endpoint);
        } else {
            job.putObject("target").put("url", url);
        }
        var isSchedule = fields.hasCron() || fields.hasInterval();
        if (fields.hasCron()) {
            job.put("timezone", "UTC");
        } else {
            IgnoredOptions.refuse(spec(), Set.of("--tz"), "without --cron");
        }
        if (isSchedule) {
            IgnoredOptions.refuse(spec(), WaitOptions.NAMES, "with a schedule, which does not end");
            IgnoredOptions.refuse(spec(), Set.of("--expires-at", "--deadline"), "with a schedule, which takes --ttl");
            IgnoredOptions.refuse(
                    spec(), Set.of("--depends-on", "--trigger-rule"), "with a schedule, which waits for no job");
            IgnoredOptions.refuse(
                    spec(), Set.of("--on-conflict", "--max-wait"), "with a schedule, which no other job replaces");
        } else {
            job.put("idempotency_key", "cli-" + UUID.randomUUID());
        }
        request.put("idempotency_key", key)
                .put("on_conflict", onConflict)
                .putDuration("max_wait", maxWait)
                .put("run_at", at)
                .putDuration("delay", delay)
                .put("expires_at", expiresAt)
                .put("deadline", deadline)
                .put("trigger_rule", triggerRule);
        if (!dependsOn.isEmpty()) {
            job.set("depends_on", parents());
        }
        fields.addTo(request);
        return job;
    }

    /** An object of names and ids; a job without a name has its id for one. */
    private ObjectNode parents() {
        var parents = JsonNodeFactory.instance.objectNode();
        for (var parent : dependsOn) {
            var end = parent.indexOf('=');
            var id = Nouns.JOBS.bare(parent.substring(end + 1));
            parents.put(end < 0 ? id : parent.substring(0, end), id);
        }
        return parents;
    }
}
