package io.taskexec.cli.live;

import io.taskexec.cli.IgnoredOptions;
import io.taskexec.cli.OutputOptions;
import io.taskexec.cli.ResourceColumn;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.Pages;
import io.taskexec.cli.client.RefusedException;
import io.taskexec.cli.client.ServerClient;
import io.taskexec.cli.client.ServerCommand;
import io.taskexec.cli.client.ServerPath;
import io.taskexec.cli.text.Terminal;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints events of executions, or the log of one. */
@Command(
        name = "logs",
        description = "Print the newest events of executions, follow them, or print the log of one execution.")
public final class Logs extends ServerCommand {
    private static final Duration BEFORE_RESUMING = Duration.ofSeconds(1);
    private static final int MAX_LAST = 1000;
    private static final int GONE = 410;
    private static final Set<String> OF_EVENTS = Set.of("--last", "--endpoint", "--job", "--type");
    private static final List<ResourceColumn> FIELDS = List.of(
            ResourceColumn.of("TIME", ResourceColumn.Format.ID, "/logged_at"),
            ResourceColumn.of("LEVEL", ResourceColumn.Format.STATUS, "/level"),
            ResourceColumn.of("ATTEMPT", ResourceColumn.Format.NUMBER, "/attempt_number"),
            ResourceColumn.of("MESSAGE", ResourceColumn.Format.TEXT, "/message"));

    @Parameters(arity = "0..1", paramLabel = "EXECUTION_ID", description = "Print the log of this execution.")
    private @Nullable String executionId;

    @Option(
            names = {"-f", "--follow"},
            description = "Follow new events, until interrupted.")
    private boolean follow;

    @Option(
            names = {"-n", "--last"},
            defaultValue = "20",
            paramLabel = "N",
            description = "Number of recent events, 0 to 1000; default: ${DEFAULT-VALUE}.")
    private int last;

    @Option(names = "--endpoint", split = ",", description = "Names of endpoints.")
    private List<String> endpoints = List.of();

    @Option(names = "--job", split = ",", paramLabel = "JOB_ID", description = "Ids of jobs.")
    private List<String> jobs = List.of();

    @Option(names = "--execution", split = ",", paramLabel = "EXECUTION_ID", description = "Ids of executions.")
    private List<String> executions = List.of();

    @Option(names = "--type", split = ",", description = "Types of events, such as failed or retrying.")
    private List<String> types = List.of();

    @Mixin
    private OutputOptions output = new OutputOptions();

    @Override
    public Integer call() {
        if (last < 0 || last > MAX_LAST) {
            throw invalid("--last must be between 0 and " + MAX_LAST + ", not " + last + ".");
        }
        var id = executionId;
        if (id != null) {
            IgnoredOptions.refuse(spec(), Set.of("--execution"), "with an EXECUTION_ID");
        }
        if (id != null && !follow) {
            IgnoredOptions.refuse(spec(), OF_EVENTS, "with an EXECUTION_ID but with -f");
        }
        var selection = new EventSelection(endpoints, jobs, id == null ? executions : List.of(id), types);
        return callServer(client -> id != null && !follow
                ? printLog(client, selection.executions().getFirst())
                : printEvents(client, selection));
    }

    private int printLog(ServerClient client, String id) throws IOException, InterruptedException {
        var lines = Pages.read(client, ServerPath.of("/executions").below(id).below("logs"), Pages.ALL)
                .items();
        var out = spec().commandLine().getOut();
        if (output.isTable()) {
            var style = output.style(Terminal.ofOutput());
            // Messages are printed in full.
            ResourceColumn.table(FIELDS, lines, Instant.now(), Terminal.UNBOUNDED, style)
                    .forEach(out::println);
        } else {
            out.print(output.showAll(lines, _ -> "executions/" + id));
        }
        out.flush();
        return ExitCode.DONE;
    }

    private int printEvents(ServerClient client, EventSelection selection) throws IOException, InterruptedException {
        var lines = new EventPrinter(spec().commandLine().getOut(), output, output.style(Terminal.ofOutput()));
        var recent = new RecentEvents(client, selection, last).find();
        recent.events().forEach(lines::print);
        if (follow) {
            follow(client, selection, lines, recent.position());
        }
        return ExitCode.DONE;
    }

    /** Resumes the stream when it ends or breaks, until the command is interrupted or the output is lost. */
    private void follow(ServerClient client, EventSelection selection, EventPrinter lines, String position)
            throws RefusedException {
        @Nullable String seen = position;
        try {
            while (!lines.isLost()) {
                seen = followOnce(client, selection, lines, seen);
                Thread.sleep(BEFORE_RESUMING);
            }
        } catch (InterruptedException _) {
            // Interrupted by the user.
        }
    }

    private @Nullable String followOnce(
            ServerClient client, EventSelection selection, EventPrinter lines, @Nullable String from)
            throws RefusedException, InterruptedException {
        var seen = from;
        try (var reader = EventReader.open(client, selection.path(), from)) {
            for (var event = reader.next(); event != null; event = reader.next()) {
                seen = event.id();
                if (event.data() != null) {
                    lines.print(event.data());
                    if (lines.isLost()) {
                        return seen;
                    }
                }
            }
        } catch (RefusedException e) {
            if (e.status() == GONE) {
                warn("Some events have been removed; continuing from now.");
                return null;
            }
            if (!e.isTransient()) {
                throw e;
            }
            warn(e.getMessage() + " Trying again.");
        } catch (IOException e) {
            if (e.getCause() instanceof InterruptedException) {
                throw new InterruptedException();
            }
            warn("The connection was lost; resuming.");
        }
        return seen;
    }
}
