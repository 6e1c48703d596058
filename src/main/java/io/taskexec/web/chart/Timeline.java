package io.taskexec.web.chart;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/** Draws the attempts of an execution and the waits between them as SVG, with a row for each. */
public record Timeline(Instant from, Instant to, List<Bar> bars) {
    private static final double WIDTH = 720;
    private static final int ROW = 22;
    private static final double LEAST_WIDTH = 3;
    private static final int MOST_TEXT_X = 560;

    /**
     * A stretch of time.
     *
     * @param style the class of the bar in the style sheet
     * @param label plain ASCII words and numbers, written beside the bar
     */
    public record Bar(Instant from, Instant to, String style, String label) {}

    /** The SVG. */
    public String draw() {
        var height = bars.size() * ROW + 4;
        var svg = new StringBuilder("<svg class=\"timeline\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">"
                .formatted((int) WIDTH, height, description()));
        for (var row = 0; row < bars.size(); row++) {
            var bar = bars.get(row);
            var x = place(bar.from());
            var width = Math.max(LEAST_WIDTH, place(bar.to()) - x);
            var y = row * ROW + 3;
            svg.append(String.format(
                    Locale.ROOT,
                    "<rect class=\"bar %s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"16\" rx=\"3\"/>",
                    bar.style(),
                    Math.min(x, WIDTH - LEAST_WIDTH),
                    y,
                    Math.min(width, WIDTH - Math.min(x, WIDTH - LEAST_WIDTH))));
            var isLate = x + width > MOST_TEXT_X;
            var isInside = isLate && x < WIDTH - MOST_TEXT_X;
            svg.append(String.format(
                    Locale.ROOT,
                    "<text class=\"%s\" x=\"%.1f\" y=\"%d\">%s</text>",
                    isInside ? "inside" : isLate ? "end" : "",
                    isInside ? x + 6 : isLate ? x - 6 : x + width + 6,
                    y + 12,
                    bar.label()));
        }
        return svg.append("</svg>").toString();
    }

    private String description() {
        return "Timeline: " + String.join("; ", bars.stream().map(Bar::label).toList());
    }

    private double place(Instant time) {
        var span = Math.max(1, Duration.between(from, to).toMillis());
        return Math.clamp(WIDTH * Duration.between(from, time).toMillis() / span, 0, WIDTH);
    }
}
