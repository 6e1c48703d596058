package io.taskexec.cli.live;

import io.taskexec.cli.Field;
import io.taskexec.cli.GivenOptions;
import io.taskexec.cli.OutputOptions;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.Pages;
import io.taskexec.cli.client.RefusedException;
import io.taskexec.cli.client.ServerClient;
import io.taskexec.cli.client.ServerOptions;
import io.taskexec.cli.client.ServerPath;
import io.taskexec.cli.text.Terminal;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** What happens to executions, or has happened to one. */
@Command(
        name = "logs",
        description = "Prints the newest events of executions, follows them, or prints the log of one execution.",
        mixinStandardHelpOptions = true)
public final class Logs implements Callable<Integer> {
    private static final Duration BEFORE_RESUMING = Duration.ofSeconds(1);
    private static final int MOST = 1000;
    private static final int GONE = 410;
    private static final Set<String> OF_EVENTS = Set.of("--last", "--endpoint", "--job", "--type");
    private static final List<Field> FIELDS = List.of(
            Field.of("TIME", Field.Show.ID, "/logged_at"),
            Field.of("LEVEL", Field.Show.STATUS, "/level"),
            Field.of("ATTEMPT", Field.Show.NUMBER, "/attempt_number"),
            Field.of("MESSAGE", Field.Show.TEXT, "/message"));

    @Parameters(arity = "0..1", paramLabel = "EXECUTION_ID", description = "Print the log of this execution.")
    private @Nullable String executionId;

    @Option(
            names = {"-f", "--follow"},
            description = "Go on with what happens, until interrupted.")
    private boolean follow;

    @Option(
            names = {"-n", "--last"},
            defaultValue = "20",
            paramLabel = "N",
            description = "How many of the newest events to begin with, 0 to 1000; default: ${DEFAULT-VALUE}.")
    private int last;

    @Option(names = "--endpoint", split = ",", description = "Only of these endpoints.")
    private List<String> endpoints = List.of();

    @Option(names = "--job", split = ",", paramLabel = "JOB_ID", description = "Only of these jobs.")
    private List<String> jobs = List.of();

    @Option(names = "--execution", split = ",", paramLabel = "EXECUTION_ID", description = "Only of these executions.")
    private List<String> executions = List.of();

    @Option(names = "--type", split = ",", description = "Only of these types, such as failed or retrying.")
    private List<String> types = List.of();

    @Mixin
    private OutputOptions output = new OutputOptions();

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        if (last < 0 || last > MOST) {
            throw new ParameterException(
                    spec.commandLine(), "--last must be between 0 and " + MOST + ", not " + last + ".");
        }
        var id = executionId;
        if (id != null) {
            GivenOptions.refuse(spec, Set.of("--execution"), "with an EXECUTION_ID");
        }
        if (id != null && !follow) {
            GivenOptions.refuse(spec, OF_EVENTS, "with an EXECUTION_ID but with -f");
        }
        var selection = new EventSelection(endpoints, jobs, id == null ? executions : List.of(id), types);
        return server.call(
                spec,
                client -> id != null && !follow
                        ? printLog(client, selection.executions().getFirst())
                        : printEvents(client, selection));
    }

    private int printLog(ServerClient client, String id) throws RefusedException, IOException, InterruptedException {
        var lines = Pages.read(client, ServerPath.of("/executions").below(id).below("logs"), Pages.ALL)
                .items();
        var out = spec.commandLine().getOut();
        if (output.isTable()) {
            var ink = output.ink(Terminal.ofOutput());
            // A message that is cut off is of no use here.
            Field.table(FIELDS, lines, Instant.now(), Terminal.UNBOUNDED, ink).forEach(out::println);
        } else {
            out.print(output.showAll(lines, _ -> "executions/" + id));
        }
        out.flush();
        return ExitCode.DONE;
    }

    private int printEvents(ServerClient client, EventSelection selection)
            throws RefusedException, IOException, InterruptedException {
        var lines = new EventLines(spec.commandLine().getOut(), output, output.ink(Terminal.ofOutput()));
        var recent = new RecentEvents(client, selection, last).find();
        recent.events().forEach(lines::print);
        if (follow) {
            follow(client, selection, lines, recent.position());
        }
        return ExitCode.DONE;
    }

    /** Ends only when it is interrupted: streams end by themselves, and connections break. */
    private void follow(ServerClient client, EventSelection selection, EventLines lines, String position)
            throws RefusedException {
        @Nullable String seen = position;
        try {
            while (true) {
                seen = followOnce(client, selection, lines, seen);
                Thread.sleep(BEFORE_RESUMING);
            }
        } catch (InterruptedException _) {
            // The end that was asked for.
        }
    }

    private @Nullable String followOnce(
            ServerClient client, EventSelection selection, EventLines lines, @Nullable String from)
            throws RefusedException, InterruptedException {
        var seen = from;
        try (var reader = EventReader.open(client, selection.path(), from)) {
            for (var event = reader.next(); event != null; event = reader.next()) {
                seen = event.id();
                if (event.data() != null) {
                    lines.print(event.data());
                }
            }
        } catch (RefusedException e) {
            if (e.status() == GONE) {
                say("Some events are not kept any more; going on from now.");
                return null;
            }
            if (!e.isPassing()) {
                throw e;
            }
            say(e.getMessage() + " Trying again.");
        } catch (IOException e) {
            if (e.getCause() instanceof InterruptedException) {
                throw new InterruptedException();
            }
            say("The connection is lost; resuming where it was.");
        }
        return seen;
    }

    private void say(String sentence) {
        spec.commandLine().getErr().println(sentence);
        spec.commandLine().getErr().flush();
    }
}
