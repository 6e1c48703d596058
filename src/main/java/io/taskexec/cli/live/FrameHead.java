package io.taskexec.cli.live;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.text.RelativeTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** Says the sums of a snapshot in sentences. */
final class FrameHead {
    private static final List<String> STATES = List.of("ready", "scheduled", "parked", "running");

    private FrameHead() {}

    static List<String> lines(ServerSnapshot snapshot) {
        var totals = snapshot.overview().path("totals");
        var lines = new ArrayList<String>();
        lines.add("Executions: "
                + STATES.stream()
                        .map(state -> count(totals, state) + " " + state)
                        .collect(Collectors.joining(", "))
                + ". Slots used: %d of %d."
                        .formatted(
                                totals.path("used_slots").asLong(),
                                totals.path("slots").asLong()));
        lines.add("In a second: " + rates(snapshot, totals));
        if (totals.path("flow_lines").asLong() + totals.path("flow_places").asLong() > 0) {
            lines.add("Flow keys: places taken %s, keys with a line %s"
                    .formatted(count(totals, "flow_places"), count(totals, "flow_lines")));
        }
        var signals = signals(snapshot.overview().path("signals"));
        if (!signals.isEmpty()) {
            lines.add("Signals of pressure: " + signals);
        }
        if (snapshot.remark() != null) {
            lines.add(snapshot.remark());
        }
        return lines;
    }

    private static String count(JsonNode totals, String name) {
        var isLowerBound = StreamSupport.stream(totals.path("more").spliterator(), false)
                .anyMatch(more -> more.asText().equals(name));
        return totals.path(name).asLong() + (isLowerBound ? "+" : "");
    }

    private static String rates(ServerSnapshot snapshot, JsonNode totals) {
        var rates = snapshot.rates();
        var counted = "%s created, %s ended"
                .formatted(
                        rate(totals.path("created_per_sec").asDouble()),
                        rate(totals.path("ended_per_sec").asDouble()));
        return rates == null || rates.isEmpty()
                ? counted
                : counted + "; events: "
                        + rates.entrySet().stream()
                                .map(e -> rate(e.getValue()) + " " + e.getKey())
                                .collect(Collectors.joining(", "));
    }

    private static String rate(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    private static String signals(JsonNode signals) {
        return StreamSupport.stream(signals.spliterator(), false)
                .map(one -> "%s %s for %s"
                        .formatted(
                                one.path("source").asText(),
                                one.path("value").asText(),
                                RelativeTime.span(Duration.ofMillis(
                                        one.path("remaining_ms").asLong()))))
                .collect(Collectors.joining(", "));
    }

    /** The pressure of a worker: its highest sources. */
    static String pressure(JsonNode worker) {
        return worker.path("pressure").properties().stream()
                .sorted(Map.Entry.comparingByValue((one, other) -> Double.compare(other.asDouble(), one.asDouble())))
                .limit(2)
                .map(source -> source.getKey() + " "
                        + String.format(Locale.ROOT, "%.2f", source.getValue().asDouble()))
                .collect(Collectors.joining(", "));
    }
}
