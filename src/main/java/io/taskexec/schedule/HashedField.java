package io.taskexec.schedule;

import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Replaces {@code H}, {@code H(0-29)} and {@code H/15} by values that a seed decides, as Jenkins does. */
final class HashedField {
    private static final Pattern HASHED = Pattern.compile("H(?:\\(([0-9]{1,2})-([0-9]{1,2})\\))?(?:/([0-9]{1,2}))?");

    private final Field field;
    private final long hash;

    HashedField(Field field, long seed) {
        this.field = field;
        this.hash = mixed(seed + field.name().hashCode() * 0x9e3779b97f4a7c15L);
    }

    /** The field's text without {@code H}. Throws InvalidScheduleException. */
    String expand(String text) {
        return Arrays.stream(text.split(",", -1)).map(this::element).collect(Collectors.joining(","));
    }

    private String element(String text) {
        var match = HASHED.matcher(text);
        return match.matches() ? value(match, text) : text;
    }

    private String value(Matcher match, String text) {
        var from = match.group(1) == null ? field.min() : Integer.parseInt(match.group(1));
        var to = match.group(2) == null ? field.hashMax() : Integer.parseInt(match.group(2));
        if (!field.has(from) || !field.has(to) || from > to) {
            throw field.refusal(text);
        }
        var size = to - from + 1;
        if (match.group(3) == null) {
            return String.valueOf(from + choice(size));
        }
        var step = Integer.parseInt(match.group(3));
        if (step < 1 || step > size) {
            throw field.refusal(text, "has a step that is not in 1-" + size);
        }
        var first = from + choice(step);
        return first + step > to ? String.valueOf(first) : first + "-" + to + "/" + step;
    }

    private int choice(int size) {
        return (int) Long.remainderUnsigned(hash, size);
    }

    /** The finalizer of SplitMix64, so that seeds that differ in one bit give unlike values. */
    private static long mixed(long seed) {
        var z = (seed ^ (seed >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
