package io.taskexec.cli.noun;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.cli.OutputOptions;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.ResourceName;
import io.taskexec.cli.client.ServerCommand;
import io.taskexec.cli.option.JsonFields;
import io.taskexec.model.OperationSummary;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Changes some fields of a schedule, or of a job that has not begun, with a JSON Merge Patch. */
@Command(description = OperationSummary.UPDATE_JOB + " The others stay as they are.")
final class JobUpdate extends ServerCommand {
    private static final Set<String> RUN_ONCE = Set.of("IMMEDIATE", "DELAYED");

    private @Nullable ResourceName name;

    @Mixin
    private JobFieldOptions fields = new JobFieldOptions();

    @Option(names = "--at", paramLabel = "TIME", description = "Time of a job that runs once, with offset.")
    private @Nullable String at;

    @Option(names = "--delay", paramLabel = "DURATION", description = "Delay of a job that runs once, from now on.")
    private @Nullable String delay;

    @Option(names = "--starts-at", paramLabel = "TIME", description = "Earliest time of a tick, with offset.")
    private @Nullable String startsAt;

    @Option(names = "--ends-at", paramLabel = "TIME", description = "Time from which no tick fires, with offset.")
    private @Nullable String endsAt;

    @Option(names = "--max-fires", description = "Number of ticks after which the schedule ends.")
    private @Nullable Integer maxFires;

    @Option(names = "--overlap", paramLabel = "POLICY", description = "ALLOW, SKIP or BUFFER_ONE.")
    private @Nullable String overlap;

    @Option(names = "--jitter", paramLabel = "DURATION", description = "The longest random delay, such as 30s.")
    private @Nullable String jitter;

    @Option(names = "--patch", paramLabel = "JSON", description = "JSON Merge Patch with any other fields.")
    private @Nullable String patch;

    @Option(
            names = "--unset",
            paramLabel = "FIELD",
            description = "Field of the API to reset to its default, such as ends_at; may be repeated.")
    private List<String> unset = List.of();

    @Mixin
    private OutputOptions output = new OutputOptions();

    static CommandLine command() {
        var update = new JobUpdate();
        var line = new CommandLine(update);
        update.name = ResourceName.ofJob(line);
        return line;
    }

    @Override
    public Integer call() {
        var named = requireNonNull(name);
        var byKey = named.byKey();
        var id = named.text();
        var path = byKey == null ? Nouns.JOBS.one(id) : byKey;
        var changes = changes();
        if (changes.isEmpty()) {
            throw invalid("Set at least one change, such as --cron or --unset.");
        }
        return callServer(client -> {
            var job = client.patch(path.toString(), changes);
            print(output.isTable() ? sentence(id, job) + "\n" : output.show(job, Nouns.JOBS.nameOf(job)));
            return ExitCode.DONE;
        });
    }

    private static String sentence(String id, JsonNode job) {
        var next = job.path("job_id").asText();
        var old = Nouns.JOBS.bare(id);
        var version = job.path("version").asInt();
        if (old.isEmpty()) {
            return "job %s is version %d.".formatted(next, version);
        }
        if (!next.equals(old)) {
            return "job %s is version %d and has replaced %s.".formatted(next, version, old);
        }
        return RUN_ONCE.contains(job.path("trigger").asText())
                ? "job %s is version %d.".formatted(old, version)
                : "job " + old + " is unchanged.";
    }

    private ObjectNode changes() {
        var changes = new JsonFields(patch(), spec());
        fields.addTo(changes);
        changes.put("run_at", at)
                .putDuration("delay", delay)
                .put("starts_at", startsAt)
                .put("ends_at", endsAt)
                .put("overlap", overlap)
                .put("max_fires", maxFires)
                .putDuration("jitter", jitter);
        unset.forEach(changes.fields()::putNull);
        return changes.fields();
    }

    private ObjectNode patch() {
        if (patch == null) {
            return JsonNodeFactory.instance.objectNode();
        }
        if (JsonFields.parse(spec(), "--patch", patch) instanceof ObjectNode object) {
            return object;
        }
        throw invalid("--patch must be a JSON object.");
    }
}
