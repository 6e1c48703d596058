package io.taskexec.cli.noun;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.cli.OutputOptions;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.ServerCommand;
import io.taskexec.cli.option.JsonFields;
import io.taskexec.model.OperationSummary;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Changes some fields of a schedule, or of a job that has not begun, with a JSON Merge Patch. */
@Command(description = OperationSummary.UPDATE_JOB + " The others stay as they are.")
final class JobUpdate extends ServerCommand {
    private static final Set<String> RUN_ONCE = Set.of("IMMEDIATE", "DELAYED");

    @Parameters(paramLabel = "ID", description = "Id of the job, as 'list' shows it.")
    private String id = "";

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

    @Override
    public Integer call() {
        var changes = changes();
        if (changes.isEmpty()) {
            throw invalid("Set at least one change, such as --cron or --unset.");
        }
        return callServer(client -> {
            var job = client.patch(Nouns.JOBS.one(id).toString(), changes);
            print(output.isTable() ? sentence(job) + "\n" : output.show(job, Nouns.JOBS.nameOf(job)));
            return ExitCode.DONE;
        });
    }

    private String sentence(JsonNode job) {
        var next = job.path("job_id").asText();
        var old = Nouns.JOBS.bare(id);
        var version = job.path("version").asInt();
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
