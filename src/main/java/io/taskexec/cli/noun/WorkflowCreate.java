package io.taskexec.cli.noun;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.cli.IgnoredOptions;
import io.taskexec.cli.InputText;
import io.taskexec.cli.option.JsonFields;
import io.taskexec.cli.text.MalformedTextException;
import io.taskexec.cli.text.YamlDocument;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs a definition or the graph of a file, once or by a schedule. */
@Command(description = "Run a workflow definition, or the workflow of a file, at once, later or by a schedule.")
final class WorkflowCreate extends ResourceCreate {
    private static final List<String> TIMES = List.of("trigger", "run_at", "delay", "cron", "timezone", "every");

    @Option(names = "--definition", paramLabel = "NAME", description = "Definition to run; not with -f.")
    private @Nullable String definition;

    @Option(names = "--input", paramLabel = "JSON", description = "Input, or @FILE for that of a file.")
    private @Nullable String input;

    @Option(
            names = {"--key", "--idempotency-key"},
            paramLabel = "KEY",
            description = "Idempotency key. The default is random for a workflow that runs once.")
    private @Nullable String key;

    @Option(
            names = {"--at", "--run-at"},
            paramLabel = "TIME",
            description = "Time of the run, with offset.")
    private @Nullable String at;

    @Option(names = "--delay", paramLabel = "DURATION", description = "Delay of the run, such as 90s, 15m or 2d.")
    private @Nullable String delay;

    @Option(names = "--cron", paramLabel = "EXPRESSION", description = "Cron expression; see 'taskexec cron next'.")
    private @Nullable String cron;

    @Option(
            names = {"--tz", "--timezone"},
            paramLabel = "ZONE",
            description = "Time zone of the cron expression; default: UTC.")
    private @Nullable String timezone;

    @Option(names = "--every", paramLabel = "DURATION", description = "Interval of a schedule, such as 15m.")
    private @Nullable String every;

    @Override
    public Integer call() {
        if (hasFile() == (definition != null)) {
            throw invalid("Set either --definition, or a file with -f.");
        }
        if (Stream.of(at, delay, cron, every).filter(time -> time != null).count() > 1) {
            throw invalid("Set at most one of --run-at, --delay, --cron and --every.");
        }
        if (cron == null) {
            IgnoredOptions.refuse(spec(), Set.of("--timezone"), "without --cron");
        }
        if (!hasFile()) {
            var request = JsonNodeFactory.instance.objectNode();
            new JsonFields(request, spec()).putName("definition", "workflow-definitions", definition);
            complete(request);
            return all(WorkflowCommands.RUNS, List.of(new YamlDocument("", request, new YamlDocument.Places())));
        }
        var documents = hasChanges() ? List.of(onlyDocument()) : documents();
        documents.forEach(document -> complete((ObjectNode) document.tree()));
        return all(WorkflowCommands.RUNS, documents);
    }

    private boolean hasChanges() {
        return Stream.of(input, key, at, delay, cron, every).anyMatch(option -> option != null);
    }

    /** Options go before the fields of a file. */
    private void complete(ObjectNode request) {
        if (Stream.of(at, delay, cron, every).anyMatch(time -> time != null)) {
            request.remove(TIMES);
        }
        if (cron != null) {
            request.put("timezone", "UTC");
        }
        new JsonFields(request, spec())
                .put("idempotency_key", key)
                .put("run_at", at)
                .putDuration("delay", delay)
                .put("cron", cron)
                .put("timezone", timezone)
                .putDuration("every", every)
                .putJson("input", "--input", input());
        if (Stream.of("idempotency_key", "cron", "every").noneMatch(request::hasNonNull)) {
            request.put("idempotency_key", "cli-" + UUID.randomUUID());
        }
    }

    private @Nullable String input() {
        try {
            return input != null && input.startsWith("@") ? InputText.read(input.substring(1)) : input;
        } catch (MalformedTextException e) {
            throw invalid("--input: " + e.getMessage());
        }
    }
}
