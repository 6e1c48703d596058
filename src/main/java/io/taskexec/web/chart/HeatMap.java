package io.taskexec.web.chart;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;

/**
 * Draws counts by row and time as SVG: the more, the stronger. Places without any are left out.
 *
 * @param step the time of one column
 */
public record HeatMap(Instant from, Duration step, int columns, List<Row> rows) {
    private static final int NAMES = 150;
    private static final int CELL_WIDTH = 14;
    private static final int CELL_HEIGHT = 20;
    private static final int HEAD = 16;
    private static final int STEPS = 5;
    private static final int LONGEST = 22;
    private static final int BETWEEN_HOURS = 6;
    private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm", Locale.ROOT);

    /** A row with the count of each column. */
    public record Row(String name, List<Double> counts) {}

    /**
     * The SVG.
     *
     * @param escape makes a text of people safe for HTML
     */
    public String draw(ZoneId zone, UnaryOperator<String> escape) {
        var width = NAMES + columns * CELL_WIDTH;
        var height = HEAD + rows.size() * CELL_HEIGHT;
        var svg = new StringBuilder("<svg class=\"heat\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">"
                .formatted(width, height, escape.apply(description())));
        for (var column = 0; column < columns; column += BETWEEN_HOURS) {
            svg.append("<text x=\"%d\" y=\"11\">%s</text>"
                    .formatted(
                            NAMES + column * CELL_WIDTH,
                            CLOCK.format(from.plus(step.multipliedBy(column)).atZone(zone))));
        }
        var most = rows.stream().mapToDouble(HeatMap::most).max().orElse(0);
        for (var i = 0; i < rows.size(); i++) {
            svg.append(row(rows.get(i), HEAD + i * CELL_HEIGHT, most, escape));
        }
        return svg.append("</svg>").toString();
    }

    private String row(Row row, int y, double most, UnaryOperator<String> escape) {
        var name = row.name().length() > LONGEST ? row.name().substring(0, LONGEST - 1) + "…" : row.name();
        var cells = new StringBuilder("<text x=\"0\" y=\"%d\">%s</text>".formatted(y + 14, escape.apply(name)));
        for (var column = 0; column < columns; column++) {
            double count = row.counts().get(column);
            if (count > 0) {
                cells.append("<rect class=\"h%d\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>"
                        .formatted(
                                (int) Math.ceil(STEPS * count / most),
                                NAMES + column * CELL_WIDTH,
                                y,
                                CELL_WIDTH - 1,
                                CELL_HEIGHT - 2));
            }
        }
        return cells.toString();
    }

    private static double most(Row row) {
        return row.counts().stream().mapToDouble(Double::doubleValue).max().orElse(0);
    }

    private String description() {
        return "Expected starts of "
                + String.join(", ", rows.stream().map(Row::name).toList());
    }
}
