package io.taskexec.cli.noun;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.cli.Durations;
import io.taskexec.cli.OutputOptions;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.ServerOptions;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Changes some fields of a schedule; the others stay as they are. */
@Command(
        mixinStandardHelpOptions = true,
        description = "Changes some fields of a schedule, which makes its next version; the others stay as they are.")
final class JobUpdate implements Callable<Integer> {
    @Parameters(paramLabel = "ID", description = "The job's id, as 'list' shows it.")
    private String id = "";

    @Option(names = "--cron", paramLabel = "EXPRESSION", description = "See 'taskexec cron next'.")
    private @Nullable String cron;

    @Option(names = "--tz", paramLabel = "ZONE", description = "The time zone of the cron expression.")
    private @Nullable String timezone;

    @Option(names = "--every", paramLabel = "DURATION", description = "The interval, such as 15m.")
    private @Nullable String every;

    @Option(names = "--starts-at", paramLabel = "TIME", description = "No tick before it: a time with offset.")
    private @Nullable String startsAt;

    @Option(names = "--ends-at", paramLabel = "TIME", description = "No tick from it on: a time with offset.")
    private @Nullable String endsAt;

    @Option(names = "--max-fires", description = "The schedule ends after so many.")
    private @Nullable Integer maxFires;

    @Option(names = "--overlap", paramLabel = "WORD", description = "ALLOW, SKIP or BUFFER_ONE.")
    private @Nullable String overlap;

    @Option(names = "--jitter", paramLabel = "DURATION", description = "The longest random delay, such as 30s.")
    private @Nullable String jitter;

    @Option(names = "--priority", description = "0, the most urgent, to 7.")
    private @Nullable Integer priority;

    @Option(names = "--tag", description = "Replaces all tags; may be repeated.")
    private List<String> tags = List.of();

    @Option(names = "--input", paramLabel = "JSON", description = "Merged into the input; null removes a field.")
    private @Nullable String input;

    @Option(names = "--patch", paramLabel = "JSON", description = "A JSON Merge Patch with any other fields.")
    private @Nullable String patch;

    @Option(
            names = "--unset",
            paramLabel = "FIELD",
            description = "Gives a field of the API its default, such as ends_at; may be repeated.")
    private List<String> unset = List.of();

    @Mixin
    private OutputOptions output = new OutputOptions();

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        var changes = changes();
        if (changes.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "Say what changes, such as --cron or --unset.");
        }
        return server.call(spec, client -> {
            var job = client.patch(Nouns.JOBS.one(id).toString(), changes);
            var out = spec.commandLine().getOut();
            out.print(output.isTable() ? sentence(job) + "\n" : output.show(job, Nouns.JOBS.nameOf(job)));
            out.flush();
            return ExitCode.DONE;
        });
    }

    private String sentence(JsonNode job) {
        var next = job.path("job_id").asText();
        var old = Nouns.JOBS.bare(id);
        return next.equals(old)
                ? "job " + old + " is like that already."
                : "job %s is version %d and has replaced %s."
                        .formatted(next, job.path("version").asInt(), old);
    }

    private ObjectNode changes() {
        var changes = given();
        put(changes, "cron", cron);
        put(changes, "timezone", timezone);
        put(changes, "every", every == null ? null : Durations.iso(every));
        put(changes, "starts_at", startsAt);
        put(changes, "ends_at", endsAt);
        put(changes, "overlap", overlap);
        put(changes, "jitter", jitter == null ? null : Durations.iso(jitter));
        if (maxFires != null) {
            changes.put("max_fires", maxFires);
        }
        if (priority != null) {
            changes.put("priority", priority);
        }
        if (!tags.isEmpty()) {
            tags.forEach(changes.putArray("tags")::add);
        }
        if (input != null) {
            changes.set("input", JsonOption.read(spec, "--input", input));
        }
        unset.forEach(changes::putNull);
        return changes;
    }

    private ObjectNode given() {
        if (patch == null) {
            return JsonNodeFactory.instance.objectNode();
        }
        if (JsonOption.read(spec, "--patch", patch) instanceof ObjectNode object) {
            return object;
        }
        throw new ParameterException(spec.commandLine(), "--patch must be a JSON object.");
    }

    private static void put(ObjectNode changes, String field, @Nullable String value) {
        if (value != null) {
            changes.put(field, value);
        }
    }
}
