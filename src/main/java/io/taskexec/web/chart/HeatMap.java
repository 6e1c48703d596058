package io.taskexec.web.chart;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;
import java.util.function.DoubleFunction;
import java.util.function.UnaryOperator;

/**
 * Draws counts by row and time as SVG: the more, the stronger. Places without any are left out.
 *
 * @param step the time of one column
 * @param format of counts, in their titles
 */
public record HeatMap(Instant from, Duration step, int columns, List<Row> rows, DoubleFunction<String> format) {
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
        var svg = new StringBuilder(
                "<svg class=\"heat\" viewBox=\"0 0 %d %d\" role=\"group\" aria-label=\"Expected starts\">"
                        .formatted(width, height));
        for (var column = 0; column < columns; column += BETWEEN_HOURS) {
            svg.append("<text x=\"%d\" y=\"11\">%s</text>"
                    .formatted(
                            NAMES + column * CELL_WIDTH, CLOCK.format(at(column).atZone(zone))));
        }
        var most = rows.stream().mapToDouble(HeatMap::most).max().orElse(0);
        for (var i = 0; i < rows.size(); i++) {
            svg.append(row(rows.get(i), HEAD + i * CELL_HEIGHT, most, zone, escape));
        }
        return svg.append("</svg>").toString();
    }

    private String row(Row row, int y, double most, ZoneId zone, UnaryOperator<String> escape) {
        var cells = new StringBuilder(
                "<text x=\"0\" y=\"%d\">%s</text>".formatted(y + 14, escape.apply(Label.of(row.name(), LONGEST))));
        var words = new StringJoiner(", ", row.name() + ": ", "").setEmptyValue(row.name() + ": none");
        for (var column = 0; column < columns; column++) {
            double count = row.counts().get(column);
            if (count > 0) {
                var says = "%s %s".formatted(CLOCK.format(at(column).atZone(zone)), format.apply(count));
                words.add(says);
                cells.append("<rect class=\"h%d\" x=\"%d\" y=\"%d\"><title>%s</title></rect>"
                        .formatted((int) Math.ceil(STEPS * count / most), NAMES + column * CELL_WIDTH, y, says));
            }
        }
        return "<g role=\"img\" aria-label=\"%s\">%s</g>".formatted(escape.apply(words.toString()), cells);
    }

    private Instant at(int column) {
        return from.plus(step.multipliedBy(column));
    }

    private static double most(Row row) {
        return row.counts().stream().mapToDouble(Double::doubleValue).max().orElse(0);
    }
}
