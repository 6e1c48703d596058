package io.taskexec.cli.text;

import io.taskexec.model.VisibleText;

/** Makes foreign text safe to print on one line of a terminal. */
public final class PlainLine {
    private static final String ELLIPSIS = "…";

    private PlainLine() {}

    /** Escapes characters that move the cursor, change colours or change the text direction. */
    public static String of(String text) {
        var plain = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            if (isHarmless(c)) {
                plain.appendCodePoint(c);
            } else if (Character.isWhitespace(c)) {
                plain.append(' ');
            } else {
                Character.toString(c).chars().forEach(unit -> plain.append(VisibleText.escape(unit)));
            }
        });
        return plain.toString();
    }

    private static boolean isHarmless(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE,
                    Character.UNASSIGNED -> false;
            default -> true;
        };
    }

    static int width(String text) {
        return text.codePointCount(0, text.length());
    }

    /** Shortens a text to a number of characters; a longer one ends in an ellipsis. */
    public static String shorten(String text, int width) {
        return width(text) <= width ? text : text.substring(0, text.offsetByCodePoints(0, width - 1)) + ELLIPSIS;
    }
}
