package io.taskexec.schedule;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/** Numbers and lists as English writes them. */
final class Words {
    private static final int MIN_RUN = 3;
    private static final int MIN_STEPS = 5;

    private Words() {}

    /** As in {@code 1 hour 30 minutes}. */
    static String duration(Duration duration) {
        var parts = new ArrayList<String>();
        add(parts, duration.toDaysPart(), "day");
        add(parts, duration.toHoursPart(), "hour");
        add(parts, duration.toMinutesPart(), "minute");
        add(parts, duration.toSecondsPart(), "second");
        add(parts, duration.toMillisPart(), "millisecond");
        return parts.size() == 1 && parts.getFirst().startsWith("1 ")
                ? parts.getFirst().substring(2)
                : String.join(" ", parts);
    }

    private static void add(List<String> parts, long count, String unit) {
        if (count > 0) {
            parts.add(count + " " + unit + (count == 1 ? "" : "s"));
        }
    }

    /** As in {@code a, b and c}. */
    static String list(List<String> items, String conjunction) {
        return items.size() < 2
                ? String.join("", items)
                : String.join(", ", items.subList(0, items.size() - 1)) + " " + conjunction + " " + items.getLast();
    }

    /** As in {@code 1, 3 to 6 and 9}. */
    static String values(long bits, IntFunction<String> name) {
        var values = ones(bits);
        var step = step(values);
        if (step > 1 && values.size() >= MIN_STEPS) {
            return name.apply(values.getFirst()) + " to " + name.apply(values.getLast()) + " in steps of " + step;
        }
        var items = new ArrayList<String>();
        for (var i = 0; i < values.size(); ) {
            var end = i + 1;
            while (end < values.size() && values.get(end) == values.get(end - 1) + 1) {
                end++;
            }
            items.addAll(run(values.subList(i, end), name));
            i = end;
        }
        return list(items, "and");
    }

    /** The positions of the bits that are set. */
    static List<Integer> ones(long bits) {
        var ones = new ArrayList<Integer>();
        for (var left = bits; left != 0; left &= left - 1) {
            ones.add(Long.numberOfTrailingZeros(left));
        }
        return ones;
    }

    /** Returns the step between values, 0 when it varies. */
    static int step(List<Integer> values) {
        var step = values.size() < 2 ? 0 : values.get(1) - values.get(0);
        for (var i = 1; i < values.size(); i++) {
            if (values.get(i) - values.get(i - 1) != step) {
                return 0;
            }
        }
        return step;
    }

    private static List<String> run(List<Integer> values, IntFunction<String> name) {
        return values.size() < MIN_RUN
                ? values.stream().map(name::apply).toList()
                : List.of(name.apply(values.getFirst()) + " to " + name.apply(values.getLast()));
    }
}
