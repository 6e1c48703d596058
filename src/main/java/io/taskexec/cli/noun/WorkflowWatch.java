package io.taskexec.cli.noun;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.cli.ColorOption;
import io.taskexec.cli.Durations;
import io.taskexec.cli.WatchLoop;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.ServerCommand;
import io.taskexec.cli.graph.RunGraph;
import io.taskexec.cli.text.PlainLine;
import io.taskexec.cli.text.Screen;
import io.taskexec.cli.text.Terminal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Follows a run until it has ended. */
@Command(
        description = "Follow a run until it has ended: redraw its graph on a terminal, otherwise print the changes."
                + " The exit code is 0 only after a success.")
final class WorkflowWatch extends ServerCommand {
    private static final Duration MIN_INTERVAL = Duration.ofMillis(100);

    @Parameters(paramLabel = "WORKFLOW_ID", description = "Id of the run, as 'list' shows it.")
    private String id = "";

    @Option(
            names = "--interval",
            defaultValue = "1s",
            paramLabel = "DURATION",
            description = "Time between requests; default: ${DEFAULT-VALUE}.")
    private String interval = "";

    @Mixin
    private ColorOption color = new ColorOption();

    private final Map<String, String> seen = new HashMap<>();
    private Terminal terminal = Terminal.NONE;
    private JsonNode run = JsonNodeFactory.instance.objectNode();

    @Override
    public Integer call() {
        var every = Durations.parse(interval);
        if (every == null || every.compareTo(MIN_INTERVAL) < 0) {
            throw invalid("--interval must be a duration such as 2s, not '" + interval + "'.");
        }
        var path = WorkflowCommands.RUNS.one(id).toString();
        terminal = Terminal.ofOutput();
        var out = spec().commandLine().getOut();
        var screen = new Screen(out);
        return callServer(client -> {
            var loop = new WatchLoop(every, out, spec().commandLine().getErr());
            var ended = loop.runUntil(() -> ExecutionWait.hasEnded(run), () -> {
                run = client.get(path);
                show(screen);
            });
            if (!ended) {
                return ExitCode.INTERRUPTED;
            }
            println(end());
            return ExecutionWait.code(run);
        });
    }

    private void show(Screen screen) {
        if (!terminal.drawable()) {
            printChanges();
            return;
        }
        terminal = terminal.refreshed();
        var style = color.style(terminal);
        var lines = new ArrayList<String>();
        lines.add("workflow " + PlainLine.of(run.path("workflow_id").asText()) + "  "
                + PlainLine.of(run.path("name").asText()) + "  "
                + style.applyStatus(PlainLine.of(run.path("status").asText())));
        lines.add(PlainLine.of(RunGraph.counts(run)));
        lines.add("");
        lines.addAll(RunGraph.lines(run, Instant.now(), terminal.width(), style));
        screen.show(lines, terminal.height());
    }

    /** Jobs that only wait are no news. */
    private void printChanges() {
        var style = color.style(terminal);
        run.path("jobs").properties().forEach(job -> {
            var status = job.getValue().path("status").asText();
            var before = seen.put(job.getKey(), status);
            if (!status.equals(before) && !(before == null && status.equals("WAITING"))) {
                var error = job.getValue().at("/error/message").asText("");
                println(PlainLine.of(job.getKey()) + "  " + style.applyStatus(PlainLine.of(status))
                        + (error.isEmpty() ? "" : "  " + PlainLine.of(error)));
            }
        });
    }

    private String end() {
        var error = run.at("/error/message").asText("");
        return "workflow %s has ended: %s%s"
                .formatted(
                        PlainLine.of(run.path("workflow_id").asText()),
                        PlainLine.of(run.path("status").asText()),
                        error.isEmpty() ? "." : ": " + PlainLine.of(error));
    }
}
