package io.taskexec.cli.noun;

import static io.taskexec.cli.ResourceColumn.Format.ID;
import static io.taskexec.cli.ResourceColumn.Format.MILLIS;
import static io.taskexec.cli.ResourceColumn.Format.NUMBER;
import static io.taskexec.cli.ResourceColumn.Format.TEXT;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.cli.Commands;
import io.taskexec.cli.Durations;
import io.taskexec.cli.ResourceColumn;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.Pages;
import io.taskexec.cli.client.ServerClient;
import io.taskexec.cli.client.ServerCommand;
import io.taskexec.cli.client.ServerPath;
import io.taskexec.model.OperationSummary;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Defines the commands for pressure. */
final class PressureCommands {
    private static final ServerPath ALL = ServerPath.of("/pressure");

    private static final Noun READINGS = new Noun(
            "source of pressure",
            "pressure",
            "",
            "source",
            List.of(
                    ResourceColumn.of("SOURCE", ID, "/source"),
                    ResourceColumn.of("VALUE", NUMBER, "/value"),
                    ResourceColumn.of("HOST", TEXT, "/host"),
                    ResourceColumn.of("WORKER", TEXT, "/worker_id"),
                    ResourceColumn.of("AGE", MILLIS, "/age_ms"),
                    ResourceColumn.of("REMAINING", MILLIS, "/remaining_ms")),
            List.of());

    private PressureCommands() {}

    static void addTo(Commands program) {
        var _ = program.with(
                "pressure",
                () -> NounCommand.of("List the pressure that holds work back; set and clear signals of it."),
                () -> new Commands()
                        .with(
                                "list",
                                () -> ListCommand.of(
                                        READINGS,
                                        (client, _, max) -> Pages.first(all(client), max),
                                        "List sources of pressure."))
                        .withObject("set", Set::new)
                        .withObject("clear", Clear::new));
    }

    private static List<JsonNode> all(ServerClient client) throws IOException, InterruptedException {
        var readings = new ArrayList<JsonNode>();
        client.get(ALL.toString()).path("items").forEach(readings::add);
        return readings;
    }

    /** The path of one signal. */
    static String path(String source) {
        return ALL.below(READINGS.bare(source)).toString();
    }

    /** Clears a signal. */
    @Command(name = "clear", description = OperationSummary.CLEAR_PRESSURE)
    static final class Clear extends ServerCommand {
        @Parameters(paramLabel = "SOURCE", description = "Name of the signal.")
        private String source = "";

        @Override
        public Integer call() {
            return callServer(client -> {
                var _ = client.delete(path(source));
                println("The signal " + READINGS.bare(source) + " is cleared.");
                return ExitCode.DONE;
            });
        }
    }

    /** Sets a signal of pressure. */
    @Command(name = "set", description = OperationSummary.SET_PRESSURE + " Repeat it to keep it.")
    static final class Set extends ServerCommand {
        @Parameters(index = "0", paramLabel = "SOURCE", description = "Name of the signal.")
        private String source = "";

        @Parameters(index = "1", paramLabel = "VALUE", description = "From 0 to 1, the most.")
        private double value;

        @Option(
                names = "--ttl",
                paramLabel = "DURATION",
                defaultValue = "30s",
                description = "How long it counts, 1s to 1h (default: 30s).")
        private String ttl = "";

        @Override
        public Integer call() {
            var time = Durations.parse(ttl);
            if (time == null) {
                throw invalid("--ttl must be a duration such as 30s, not " + ttl + ".");
            }
            return callServer(client -> {
                var signal = JsonNodeFactory.instance
                        .objectNode()
                        .put("value", value)
                        .put("ttl", time.toString());
                var _ = client.put(path(source), signal, null);
                println("The signal %s is %s for %s.".formatted(source, value, ttl));
                return ExitCode.DONE;
            });
        }
    }
}
