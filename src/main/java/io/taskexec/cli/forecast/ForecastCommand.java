package io.taskexec.cli.forecast;

import static io.taskexec.cli.ResourceColumn.Format.ID;
import static io.taskexec.cli.ResourceColumn.Format.MILLIS;
import static io.taskexec.cli.ResourceColumn.Format.NUMBER;
import static io.taskexec.cli.ResourceColumn.Format.STATUS;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.OutputOptions;
import io.taskexec.cli.ResourceColumn;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.ServerCommand;
import io.taskexec.cli.text.Terminal;
import io.taskexec.model.OperationSummary;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Prints the endpoints with their peaks, and the minutes over capacity. */
@Command(name = "forecast", description = OperationSummary.GET_FORECAST)
public final class ForecastCommand extends ServerCommand {
    private static final List<ResourceColumn> ENDPOINTS = List.of(
            ResourceColumn.of("ENDPOINT", ID, "/name"),
            ResourceColumn.of("PEAK", NUMBER, "/peak/expected"),
            ResourceColumn.of("AT", ID, "/peak/at"),
            ResourceColumn.of("SCHEDULED", NUMBER, "/scheduled"),
            ResourceColumn.of("DELAYED", NUMBER, "/delayed"),
            ResourceColumn.of("HISTORICAL", NUMBER, "/historical"),
            ResourceColumn.of("HELD", NUMBER, "/held"),
            ResourceColumn.of("MEAN", MILLIS, "/mean_ms"));

    private static final List<ResourceColumn> OVER = List.of(
            ResourceColumn.of("OVER CAPACITY", ID, "/at"),
            ResourceColumn.of("ENDPOINT", ID, "/endpoint"),
            ResourceColumn.of("QUEUE", ID, "/queue"),
            ResourceColumn.of("EXPECTED", NUMBER, "/expected"),
            ResourceColumn.of("CAPACITY", NUMBER, "/capacity"),
            ResourceColumn.of("LIMIT", STATUS, "/limit"));

    @Mixin
    private ForecastOptions options = new ForecastOptions();

    @Option(
            names = "--limit",
            defaultValue = "20",
            description = "Maximum number of endpoints, 1 to 100; default: ${DEFAULT-VALUE}.")
    private int limit;

    @Mixin
    private OutputOptions output = new OutputOptions();

    @Override
    public Integer call() {
        var path = options.path().with("limit", Integer.toString(limit)).toString();
        return callServer(client -> {
            var forecast = client.get(path);
            if (output.isTable()) {
                lines(forecast).forEach(this::println);
            } else {
                print(output.show(forecast, "forecast"));
            }
            return ExitCode.DONE;
        });
    }

    private List<String> lines(JsonNode forecast) {
        var lines = new ArrayList<String>();
        lines.add("%s to %s: %d schedules with %d expressions, %d endpoints with starts."
                .formatted(
                        forecast.path("from").asText(),
                        forecast.path("to").asText(),
                        forecast.path("schedules").asInt(),
                        forecast.path("expressions").asInt(),
                        forecast.at("/endpoints/total").asInt()));
        var more = StreamSupport.stream(forecast.path("more").spliterator(), false)
                .map(JsonNode::asText)
                .collect(Collectors.joining(" and "));
        if (!more.isEmpty()) {
            lines.add("There is more than was counted of: " + more + ".");
        }
        add(lines, ENDPOINTS, forecast.at("/endpoints/items"));
        add(lines, OVER, forecast.at("/over_capacity/items"));
        lines.add("");
        lines.add(
                "Minutes over capacity: " + forecast.at("/over_capacity/total").asLong() + ".");
        var proposals = forecast.at("/proposals/items").size();
        if (proposals > 0) {
            lines.add("Schedules that could be spread: " + proposals
                    + (forecast.at("/proposals/more").asBoolean() ? "+" : "")
                    + "; see 'taskexec schedules spread'.");
        }
        return lines;
    }

    private void add(List<String> lines, List<ResourceColumn> columns, JsonNode items) {
        if (!items.isEmpty()) {
            var terminal = Terminal.ofOutput();
            lines.add("");
            lines.addAll(ResourceColumn.table(
                    columns,
                    StreamSupport.stream(items.spliterator(), false).toList(),
                    Instant.now(),
                    terminal.width(),
                    output.style(terminal)));
        }
    }
}
