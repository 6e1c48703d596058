package io.taskexec.cli.noun;

import static io.taskexec.cli.ResourceColumn.Format.ID;
import static io.taskexec.cli.ResourceColumn.Format.NUMBER;
import static io.taskexec.cli.ResourceColumn.Format.SPAN;
import static io.taskexec.cli.ResourceColumn.Format.STATUS;
import static io.taskexec.cli.ResourceColumn.Format.TEXT;
import static io.taskexec.cli.ResourceColumn.Format.TIME;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.cli.Commands;
import io.taskexec.cli.ResourceColumn;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.RefusedException;
import io.taskexec.cli.graph.RunGraph;
import io.taskexec.cli.noun.ActionCommand.Input;
import io.taskexec.cli.noun.ActionSummary.Awaited;
import io.taskexec.cli.option.QueryOption;
import io.taskexec.cli.option.QueryOption.Kind;
import io.taskexec.cli.text.AnsiStyle;
import io.taskexec.model.OperationSummary;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Defines the commands for runs of workflows and for their definitions. */
final class WorkflowCommands {
    static final Noun RUNS = new Noun(
            "workflow",
            "workflows",
            "/workflows",
            "workflow_id",
            List.of(
                    ResourceColumn.of("WORKFLOW ID", ID, "/workflow_id"),
                    ResourceColumn.of("NAME", TEXT, "/name"),
                    ResourceColumn.of("STATUS", STATUS, "/status"),
                    ResourceColumn.of("CREATED", TIME, "/created_at"),
                    ResourceColumn.of("TOOK", SPAN, "/started_at", "/completed_at")),
            List.of(
                    new QueryOption("name", Kind.TEXT, "Name of the definition, or of the run."),
                    new QueryOption(
                            "status",
                            Kind.CHOICE,
                            "PENDING, RUNNING, CANCELLING, SUCCESS, FAILED, CANCELLED, EXPIRED or SKIPPED.")));

    static final Noun DEFINITIONS = new Noun(
            "workflow definition",
            "workflow-definitions",
            "/workflow-definitions",
            "name",
            List.of(
                    ResourceColumn.of("NAME", ID, "/name"),
                    ResourceColumn.of("JOBS", TEXT, "/spec/jobs"),
                    ResourceColumn.of("QUEUE", TEXT, "/queue"),
                    ResourceColumn.of("VERSION", NUMBER, "/version"),
                    ResourceColumn.of("UPDATED", TIME, "/updated_at")),
            List.of());

    private static final ActionSummary CANCELLED = new ActionSummary(
            RUNS,
            (run, _) -> "workflow %s is %s."
                    .formatted(
                            run.path(RUNS.id()).asText(),
                            run.path("status").asText().toLowerCase(Locale.ROOT)),
            Awaited.NOTHING);

    private static final ActionSummary REPEATED = new ActionSummary(
            RUNS, (run, _) -> "workflow " + run.path(RUNS.id()).asText() + " is created.", Awaited.NOTHING);

    private static final QueryOption FORCE = new QueryOption(
            "force", Kind.FLAG, "Also cancel jobs that run, were decided about, or would run whatever happens.");

    private WorkflowCommands() {}

    static void addTo(Commands program) {
        var _ = program.with(
                        "workflows",
                        () -> NounCommand.of("List, show, create and watch runs of workflows."),
                        WorkflowCommands::runs)
                .with(
                        "workflow-definitions",
                        () -> NounCommand.of("List, show and change workflow definitions."),
                        WorkflowCommands::definitions);
    }

    private static Commands runs() {
        return new Commands()
                .with("list", () -> ListCommand.of(RUNS))
                .with("get", () -> GetCommand.of(RUNS, WorkflowCommands::withGraph))
                .withObject("create", WorkflowCreate::new)
                .with(
                        "cancel",
                        () -> ActionCommand.of(
                                RUNS,
                                "cancel",
                                Input.QUERY,
                                List.of(FORCE),
                                CANCELLED,
                                OperationSummary.CANCEL_WORKFLOW))
                .with(
                        "retry",
                        () -> ActionCommand.of(
                                RUNS, "retry", Input.QUERY, List.of(), REPEATED, OperationSummary.RETRY_WORKFLOW))
                .with(
                        "replay",
                        () -> ActionCommand.of(
                                RUNS, "replay", Input.QUERY, List.of(), REPEATED, OperationSummary.REPLAY_WORKFLOW))
                .withObject("watch", WorkflowWatch::new);
    }

    private static Commands definitions() {
        return new Commands()
                .with("list", () -> ListCommand.of(DEFINITIONS))
                .with("get", () -> GetCommand.of(DEFINITIONS))
                .withObject("put", Put::new)
                .with("delete", () -> DeleteCommand.of(DEFINITIONS));
    }

    /** Returns the fields of a run, and the graph of its jobs in place of their fields. */
    static List<String> withGraph(JsonNode run, int width, AnsiStyle style, Instant now) {
        var fields = ((ObjectNode) run).deepCopy();
        fields.remove(List.of("jobs", "critical_path"));
        var lines = new ArrayList<>(Details.lines(fields, style, now));
        lines.add("");
        lines.addAll(RunGraph.lines(run, now, width, style));
        return lines;
    }

    /** Creates or replaces a definition. */
    @Command(description = "Create or replace a workflow definition that a file describes.")
    static final class Put extends ResourceCreate {
        @Parameters(paramLabel = "NAME", description = "Name of the definition.")
        private String name = "";

        @Override
        public Integer call() {
            if (!hasFile()) {
                throw invalid("Name a file with -f, or -f - for the standard input.");
            }
            var document = onlyDocument();
            return callServer(client -> {
                try {
                    var path = DEFINITIONS.one(name).toString();
                    var written = client.put(path, document.tree(), null);
                    print(
                            output().isTable()
                                    ? "workflow definition %s has version %d.\n"
                                            .formatted(
                                                    written.path("name").asText(),
                                                    written.path("version").asInt())
                                    : output().show(written, DEFINITIONS.nameOf(written)));
                    return ExitCode.DONE;
                } catch (RefusedException e) {
                    throw e.at(document::at);
                }
            });
        }
    }
}
