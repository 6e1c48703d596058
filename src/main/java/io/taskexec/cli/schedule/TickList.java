package io.taskexec.cli.schedule;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.model.Json;
import io.taskexec.schedule.CronSchedule;
import io.taskexec.schedule.Schedule;
import io.taskexec.schedule.Tick;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Ticks of a schedule to be printed.
 *
 * @param description the schedule in words
 */
record TickList(String description, List<Line> lines) {
    private static final Line HEAD = new Line("UTC", "LOCAL", List.of("FLAGS"));

    /** One tick. */
    record Line(String utc, String local, List<String> flags) {
        static Line of(Tick tick, ZoneId zone) {
            return new Line(
                    tick.at().toString(),
                    DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(tick.at().atZone(zone)),
                    tick.flags().stream().sorted().map(Enum::name).toList());
        }
    }

    /** The first {@code count} ticks that are not before {@code start}. */
    static TickList of(Schedule schedule, ZoneId zone, Instant start, int count) {
        return new TickList(
                schedule.describe(),
                schedule.preview(start.minusNanos(1), count).stream()
                        .map(tick -> Line.of(tick, zone))
                        .toList());
    }

    /** For people. */
    String table() {
        var rows = Stream.concat(Stream.of(HEAD), lines.stream()).toList();
        var format = "%%-%ds  %%-%ds  %%s".formatted(width(rows, Line::utc), width(rows, Line::local));
        return rows.stream()
                .map(row -> format.formatted(row.utc(), row.local(), String.join(",", row.flags()))
                        .stripTrailing())
                .collect(Collectors.joining(
                        "\n", description + ", tz database " + CronSchedule.timeZoneRules() + "\n\n", "\n"));
    }

    private static int width(List<Line> rows, Function<Line, String> column) {
        return rows.stream().map(column).mapToInt(String::length).max().orElse(0);
    }

    /** For programs: what {@code POST /schedules/preview} answers. */
    String json() {
        var tree = JsonNodeFactory.instance.objectNode();
        var _ = tree.put("description", description).put("timezone_rules", CronSchedule.timeZoneRules());
        var items = tree.putArray("items");
        for (var line : lines) {
            var item = items.addObject().put("utc", line.utc()).put("local", line.local());
            var flags = item.putArray("flags");
            line.flags().forEach(flags::add);
        }
        return Json.write(tree) + "\n";
    }
}
