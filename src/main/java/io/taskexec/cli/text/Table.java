package io.taskexec.cli.text;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Lays out rows under titles; docs/adr/0008 says why picocli's TextTable cannot. A column is as wide as its widest
 * text. When the terminal is too narrow, the longest texts are shortened first, and then columns on the right are
 * dropped, except the first.
 */
public record Table(List<Column> columns) {
    private static final String GAP = "  ";
    private static final int MIN_WIDTH = 6;

    /** Returns the lines, beginning with the titles. */
    public List<String> lines(List<List<String>> rows, int width, AnsiStyle style) {
        var clean = rows.stream()
                .map(row -> row.stream().map(PlainLine::of).toList())
                .toList();
        var widths = fit(clean, width);
        var titles = columns.stream().map(Column::title).toList();
        return Stream.concat(
                        Stream.of(line(titles, widths, AnsiStyle.PLAIN)),
                        clean.stream().map(row -> line(row, widths, style)))
                .toList();
    }

    private List<Integer> fit(List<List<String>> rows, int width) {
        var widths = IntStream.range(0, columns.size())
                .mapToObj(i -> Math.max(
                        columns.get(i).title().length(),
                        rows.stream()
                                .mapToInt(row -> PlainLine.width(row.get(i)))
                                .max()
                                .orElse(0)))
                .collect(Collectors.toCollection(ArrayList::new));
        var over = total(widths) - (long) width;
        while (over > 0) {
            var widest = IntStream.range(0, widths.size())
                    .boxed()
                    .filter(i -> columns.get(i).kind() == Column.Kind.TEXT && widths.get(i) > minWidth(i))
                    .max(Comparator.comparing(widths::get))
                    .orElse(-1);
            if (widest < 0) {
                break;
            }
            widths.set(widest, widths.get(widest) - 1);
            over--;
        }
        while (total(widths) > width && widths.size() > 1) {
            widths.removeLast();
        }
        return widths;
    }

    private int minWidth(int column) {
        return Math.max(MIN_WIDTH, columns.get(column).title().length());
    }

    private static long total(List<Integer> widths) {
        return widths.stream().mapToLong(Integer::longValue).sum() + (long) GAP.length() * (widths.size() - 1);
    }

    private String line(List<String> texts, List<Integer> widths, AnsiStyle style) {
        return IntStream.range(0, widths.size())
                .mapToObj(i -> cell(texts.get(i), columns.get(i).kind(), widths.get(i), style))
                .collect(Collectors.joining(GAP))
                .stripTrailing();
    }

    private static String cell(String text, Column.Kind kind, int width, AnsiStyle style) {
        var shown = PlainLine.shorten(text, width);
        var padding = " ".repeat(width - PlainLine.width(shown));
        return switch (kind) {
            case NUMBER -> padding + shown;
            case STATUS -> style.applyStatus(shown) + padding;
            case ID, TEXT -> shown + padding;
        };
    }
}
