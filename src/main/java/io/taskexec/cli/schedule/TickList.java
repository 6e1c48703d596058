package io.taskexec.cli.schedule;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.cli.text.AnsiStyle;
import io.taskexec.cli.text.Column;
import io.taskexec.cli.text.Table;
import io.taskexec.cli.text.Terminal;
import io.taskexec.model.Json;
import io.taskexec.schedule.CronSchedule;
import io.taskexec.schedule.Schedule;
import io.taskexec.schedule.Tick;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;

/**
 * Formats the ticks of a schedule.
 *
 * @param description the schedule in words
 */
record TickList(String description, List<Row> lines) {
    record Row(String utc, String local, List<String> flags) {
        static Row of(Tick tick, ZoneId zone) {
            return new Row(
                    tick.at().toString(),
                    DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(tick.at().atZone(zone)),
                    tick.flags().stream().sorted().map(Enum::name).toList());
        }
    }

    /** Returns the first {@code count} ticks from {@code start} on. */
    static TickList of(Schedule schedule, ZoneId zone, Instant start, int count) {
        return new TickList(
                schedule.describe(),
                schedule.preview(start.minusNanos(1), count).stream()
                        .map(tick -> Row.of(tick, zone))
                        .toList());
    }

    String table() {
        var rows = lines.stream()
                .map(row -> List.of(row.utc(), row.local(), String.join(",", row.flags())))
                .toList();
        var table = new Table(List.of(
                new Column("UTC", Column.Kind.ID),
                new Column("LOCAL", Column.Kind.ID),
                new Column("FLAGS", Column.Kind.ID)));
        return description + ", tz database " + CronSchedule.timeZoneRules() + "\n\n"
                + String.join("\n", table.lines(rows, Terminal.UNBOUNDED, AnsiStyle.PLAIN)) + "\n";
    }

    /** Returns the response of {@code POST /schedules/preview}. */
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
