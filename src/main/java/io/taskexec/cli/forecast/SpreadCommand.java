package io.taskexec.cli.forecast;

import static io.taskexec.cli.ResourceColumn.Format.ID;
import static io.taskexec.cli.ResourceColumn.Format.NUMBER;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.cli.OutputOptions;
import io.taskexec.cli.ResourceColumn;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.RefusedException;
import io.taskexec.cli.client.ServerClient;
import io.taskexec.cli.client.ServerCommand;
import io.taskexec.cli.client.ServerPath;
import io.taskexec.cli.text.Terminal;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Prints expressions with H for schedules that start together, and sets them. */
@Command(
        name = "spread",
        description = "Propose expressions with H for schedules that start together; changes nothing without --apply.")
final class SpreadCommand extends ServerCommand {
    private static final List<ResourceColumn> PROPOSALS = List.of(
            ResourceColumn.of("JOB ID", ID, "/job_id"),
            ResourceColumn.of("ENDPOINT", ID, "/endpoint"),
            ResourceColumn.of("CRON", ID, "/cron"),
            ResourceColumn.of("PROPOSED", ID, "/proposed_cron"),
            ResourceColumn.of("TIME ZONE", ID, "/timezone"),
            ResourceColumn.of("PEAK", NUMBER, "/peak_before"),
            ResourceColumn.of("AFTER", NUMBER, "/peak_after"),
            ResourceColumn.of("QUEUE", ID, "/queue"));

    @Mixin
    private ForecastOptions options = new ForecastOptions();

    @Option(names = "--apply", description = "Change the schedules; each gets its next version.")
    private boolean apply;

    @Mixin
    private OutputOptions output = new OutputOptions();

    @Override
    public Integer call() {
        return callServer(client -> {
            var proposals =
                    client.get(options.path().with("limit", "1").toString()).path("proposals");
            var items = StreamSupport.stream(proposals.path("items").spliterator(), false)
                    .toList();
            var code = apply ? applyAll(client, items) : show(items);
            if (output.isTable() && proposals.path("more").asBoolean()) {
                warn("There are more: repeat this with --apply until there are none.");
            }
            return code;
        });
    }

    private int show(List<JsonNode> proposals) {
        if (!output.isTable()) {
            print(output.showAll(proposals, SpreadCommand::name));
        } else if (proposals.isEmpty()) {
            println("No schedules need to be spread.");
        } else {
            var terminal = Terminal.ofOutput();
            ResourceColumn.table(PROPOSALS, proposals, Instant.now(), terminal.width(), output.style(terminal))
                    .forEach(this::println);
            println("Nothing is changed; --apply changes these schedules.");
        }
        return ExitCode.DONE;
    }

    private int applyAll(ServerClient client, List<JsonNode> proposals) throws IOException, InterruptedException {
        var results = new ArrayList<JsonNode>();
        var failed = 0;
        try {
            for (var proposal : proposals) {
                var result = apply(client, proposal);
                failed += result.has("error") ? 1 : 0;
                results.add(result);
                if (output.isTable()) {
                    println(sentence(result));
                }
            }
        } finally {
            // The connection may break, and schedules have changed until then.
            if (!output.isTable()) {
                print(output.showAll(results, SpreadCommand::name));
            }
        }
        if (output.isTable()) {
            println("Changed: %d, not changed: %d.".formatted(results.size() - failed, failed));
        }
        return failed == 0 ? ExitCode.DONE : ExitCode.REFUSED;
    }

    /** A schedule that is not what the proposal is about any more is refused. */
    private static ObjectNode apply(ServerClient client, JsonNode proposal) throws IOException, InterruptedException {
        var id = proposal.path("job_id").asText();
        var cron = proposal.path("proposed_cron").asText();
        var result =
                JsonNodeFactory.instance.objectNode().put("replaced_job_id", id).put("cron", cron);
        try {
            var path = ServerPath.of("/jobs").below(id).toString();
            var found = client.read(path);
            if (!found.body().path("cron").equals(proposal.path("cron"))) {
                return result.put("job_id", id).put("error", "it has changed since");
            }
            var job = client.patch(path, JsonNodeFactory.instance.objectNode().put("cron", cron), found.tag());
            return result.put("job_id", job.path("job_id").asText())
                    .put("version", job.path("version").asInt());
        } catch (RefusedException e) {
            return result.put("job_id", id).put("error", e.getMessage());
        }
    }

    private static String name(JsonNode item) {
        return "jobs/" + item.path("job_id").asText();
    }

    private static String sentence(JsonNode result) {
        return result.has("error")
                ? "job %s is not changed: %s"
                        .formatted(
                                result.path("job_id").asText(),
                                result.path("error").asText())
                : "job %s is version %d with '%s' and has replaced %s."
                        .formatted(
                                result.path("job_id").asText(),
                                result.path("version").asInt(),
                                result.path("cron").asText(),
                                result.path("replaced_job_id").asText());
    }
}
