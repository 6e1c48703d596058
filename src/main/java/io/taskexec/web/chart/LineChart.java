package io.taskexec.web.chart;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Draws values over time as SVG. Colours come from the style sheet, so that a chart follows light and dark.
 *
 * @param format of values, on the axis and in the description
 */
public record LineChart(String title, List<Instant> times, List<Series> series, DoubleFunction<String> format) {
    private static final double WIDTH = 360;
    private static final double HEIGHT = 120;
    private static final double TOP = 8;
    private static final double BOTTOM = 100;
    private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm", Locale.ROOT);

    /**
     * A line.
     *
     * @param style the class of the line in the style sheet
     * @param values one for each time; null for a gap
     */
    public record Series(String name, String style, List<@Nullable Double> values) {
        private @Nullable Double last() {
            return values.isEmpty() ? null : values.getLast();
        }
    }

    /** The SVG. */
    public String draw(ZoneId zone) {
        var most = series.stream()
                .flatMap(line -> line.values().stream())
                .mapToDouble(value -> value == null ? 0 : value)
                .max()
                .orElse(0);
        var top = niceTop(most);
        var svg = new StringBuilder();
        svg.append("<svg class=\"chart\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">"
                .formatted((int) WIDTH, (int) HEIGHT, description()));
        svg.append("<line class=\"axis\" x1=\"0\" x2=\"%1$d\" y1=\"%2$d\" y2=\"%2$d\"/>"
                .formatted((int) WIDTH, (int) BOTTOM));
        svg.append("<line class=\"grid\" x1=\"0\" x2=\"%1$d\" y1=\"%2$d\" y2=\"%2$d\"/>"
                .formatted((int) WIDTH, (int) TOP));
        svg.append("<text x=\"0\" y=\"%d\">%s</text>".formatted((int) TOP + 11, format.apply(top)));
        if (!times.isEmpty()) {
            series.forEach(line -> svg.append(path(line, top)));
            svg.append("<text x=\"0\" y=\"%d\">%s</text>"
                    .formatted((int) HEIGHT - 4, CLOCK.format(times.getFirst().atZone(zone))));
            svg.append("<text class=\"end\" x=\"%d\" y=\"%d\">%s</text>"
                    .formatted(
                            (int) WIDTH,
                            (int) HEIGHT - 4,
                            CLOCK.format(times.getLast().atZone(zone))));
        }
        return svg.append("</svg>").toString();
    }

    /** Says in words what the lines show at their end. */
    private String description() {
        var text = new StringBuilder(title);
        for (var line : series) {
            var last = line.last();
            text.append("; ").append(line.name()).append(' ').append(last == null ? "unknown" : format.apply(last));
        }
        return text.toString();
    }

    private String path(Series line, double top) {
        var path = new StringBuilder();
        var isDown = false;
        var from = times.getFirst();
        var span = Math.max(1, Duration.between(from, times.getLast()).toMillis());
        for (var i = 0; i < times.size(); i++) {
            var value = line.values().get(i);
            if (value != null) {
                var x = WIDTH * Duration.between(from, times.get(i)).toMillis() / span;
                var y = BOTTOM - (BOTTOM - TOP) * value / top;
                path.append(String.format(Locale.ROOT, "%s%.1f %.1f", isDown ? "L" : "M", x, y));
            }
            isDown = value != null;
        }
        return "<path class=\"line %s\" d=\"%s\"/>".formatted(line.style(), path);
    }

    /** The next of 1, 2 and 5 times a power of ten. */
    static double niceTop(double most) {
        if (most <= 0) {
            return 1;
        }
        var power = Math.pow(10, Math.floor(Math.log10(most)));
        for (var step : new double[] {1, 2, 5}) {
            if (most <= step * power) {
                return step * power;
            }
        }
        return 10 * power;
    }
}
