package io.taskexec.cli.live;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.ResourceColumn;
import io.taskexec.cli.text.AnsiStyle;
import io.taskexec.cli.text.PlainLine;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * A table in a frame.
 *
 * @param noun what its rows are, in the plural
 * @param total how many there are, at least as many as there are items
 */
record FrameSection(String noun, List<ResourceColumn> columns, List<JsonNode> items, long total) {
    /** An empty line, and one for the titles. */
    private static final int HEAD = 2;

    /** The number of lines with so many rows. */
    int height(int rows) {
        return HEAD + rows + (rows < total ? 1 : 0);
    }

    /** The lines with at most so many rows; the last one says how many are left out. */
    List<String> lines(int rows, Instant now, int width, AnsiStyle style) {
        var shown = items.subList(0, Math.min(rows, items.size()));
        var lines = new ArrayList<String>();
        lines.add("");
        lines.addAll(ResourceColumn.table(columns, shown, now, width, style));
        if (shown.size() < total) {
            lines.add(PlainLine.shorten("and %d more %s".formatted(total - shown.size(), noun), width));
        }
        return lines;
    }

    /**
     * Divides a height among sections: each gets a row, then each another one in turn, while there are lines and rows.
     * When not even one row of each fits, the caller cuts the frame.
     */
    static int[] rows(List<FrameSection> sections, int height) {
        var rows = new int[sections.size()];
        for (var i = 0; i < rows.length; i++) {
            rows[i] = Math.min(1, sections.get(i).items().size());
        }
        for (var grown = true; grown; ) {
            grown = false;
            for (var i = 0; i < rows.length; i++) {
                if (rows[i] < sections.get(i).items().size()) {
                    rows[i]++;
                    if (height(sections, rows) <= height) {
                        grown = true;
                    } else {
                        rows[i]--;
                    }
                }
            }
        }
        return rows;
    }

    private static long height(List<FrameSection> sections, int[] rows) {
        var sum = 0L;
        for (var i = 0; i < rows.length; i++) {
            sum += sections.get(i).height(rows[i]);
        }
        return sum;
    }
}
