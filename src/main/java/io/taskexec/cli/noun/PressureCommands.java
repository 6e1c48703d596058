package io.taskexec.cli.noun;

import static io.taskexec.cli.ResourceColumn.Format.ID;
import static io.taskexec.cli.ResourceColumn.Format.MILLIS;
import static io.taskexec.cli.ResourceColumn.Format.NUMBER;
import static io.taskexec.cli.ResourceColumn.Format.TEXT;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.Commands;
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
                        .with("list", () -> ListCommand.of(READINGS, (client, _, max) -> Pages.first(all(client), max)))
                        .withObject("set", PressureSet::new)
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
}
