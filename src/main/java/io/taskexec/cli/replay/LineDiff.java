package io.taskexec.cli.replay;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Compares two texts line by line. */
final class LineDiff {
    /** Bounds memory: beyond it, all lines count as changed that the texts do not begin or end with in common. */
    private static final int MAX_CELLS = 4_000_000;

    private LineDiff() {}

    /** Returns all lines: common ones after two spaces, those of the first text after {@code "- "}, others "+ ". */
    static List<String> of(List<String> before, List<String> after) {
        var start = 0;
        while (start < before.size()
                && start < after.size()
                && before.get(start).equals(after.get(start))) {
            start++;
        }
        var end = 0;
        while (end < before.size() - start
                && end < after.size() - start
                && before.get(before.size() - 1 - end).equals(after.get(after.size() - 1 - end))) {
            end++;
        }
        var lines = new ArrayList<String>();
        before.subList(0, start).forEach(line -> lines.add("  " + line));
        lines.addAll(middle(before.subList(start, before.size() - end), after.subList(start, after.size() - end)));
        before.subList(before.size() - end, before.size()).forEach(line -> lines.add("  " + line));
        return lines;
    }

    private static List<String> middle(List<String> before, List<String> after) {
        if ((long) before.size() * after.size() > MAX_CELLS) {
            var lines = new ArrayList<String>();
            before.forEach(line -> lines.add("- " + line));
            after.forEach(line -> lines.add("+ " + line));
            return lines;
        }
        return aligned(before, after, lengths(before, after));
    }

    /** The length of the longest common subsequence of the rest, from each pair of lines on. */
    private static int[][] lengths(List<String> before, List<String> after) {
        var lengths = new int[before.size() + 1][after.size() + 1];
        for (var i = before.size() - 1; i >= 0; i--) {
            for (var j = after.size() - 1; j >= 0; j--) {
                lengths[i][j] = before.get(i).equals(after.get(j))
                        ? lengths[i + 1][j + 1] + 1
                        : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
            }
        }
        return lengths;
    }

    private static List<String> aligned(List<String> before, List<String> after, int[][] lengths) {
        var lines = new ArrayList<String>();
        var i = 0;
        var j = 0;
        while (i < before.size() || j < after.size()) {
            if (i < before.size() && j < after.size() && before.get(i).equals(after.get(j))) {
                lines.add("  " + before.get(i));
                i++;
                j++;
            } else if (j == after.size() || (i < before.size() && lengths[i + 1][j] >= lengths[i][j + 1])) {
                lines.add("- " + before.get(i++));
            } else {
                lines.add("+ " + after.get(j++));
            }
        }
        return Collections.unmodifiableList(lines);
    }
}
