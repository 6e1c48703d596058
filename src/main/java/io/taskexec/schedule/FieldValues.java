package io.taskexec.schedule;

import java.util.Arrays;
import java.util.List;

/**
 * A parsed field.
 *
 * @param text without {@code H}
 */
record FieldValues(Field field, String text, List<Element> elements) {
    FieldValues {
        elements = List.copyOf(elements);
    }

    /** Throws InvalidScheduleException. */
    static FieldValues parse(Field field, String text) {
        var elements = Arrays.stream(text.split(",", -1))
                .map(element -> ElementParser.parse(field, element))
                .toList();
        return new FieldValues(field, text, elements);
    }

    /** Whether the field is unrestricted in the sense of crontab(5). */
    boolean startsWithStar() {
        return text.startsWith("*");
    }

    /** Whether the field is {@code *} and no more. */
    boolean isStar() {
        return text.equals("*");
    }

    /** The plain values as bits. */
    long bits() {
        var bits = 0L;
        for (var element : elements) {
            bits |= element instanceof Element.Values(var values) ? values : 0;
        }
        return bits;
    }
}
