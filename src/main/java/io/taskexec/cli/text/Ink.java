package io.taskexec.cli.text;

import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Colours, or none: what a text means is said by its words too. */
public enum Ink {
    COLORED,
    PLAIN;

    static final char ESCAPE = '\u001b';

    private static final String RESET = "\u001b[0m";
    private static final Pattern COLOR = Pattern.compile("\u001b\\[(?:0|1|2|3[1-4])m");

    private static final Map<String, Color> STATUSES = Map.ofEntries(
            Map.entry("SUCCESS", Color.GREEN),
            Map.entry("SUCCEEDED", Color.GREEN),
            Map.entry("FIRED", Color.GREEN),
            Map.entry("CLOSED", Color.GREEN),
            Map.entry("RUNNING", Color.BLUE),
            Map.entry("STARTED", Color.BLUE),
            Map.entry("RETRYING", Color.YELLOW),
            Map.entry("HALF_OPEN", Color.YELLOW),
            Map.entry("INTERRUPTED", Color.YELLOW),
            Map.entry("LOST", Color.YELLOW),
            Map.entry("WARN", Color.YELLOW),
            Map.entry("MISSED", Color.RED),
            Map.entry("FAILED", Color.RED),
            Map.entry("ERROR", Color.RED),
            Map.entry("OPEN", Color.RED),
            Map.entry("DISABLED", Color.RED),
            Map.entry("CANCELLED", Color.FAINT),
            Map.entry("RETIRED", Color.FAINT));

    /** When there are colours. */
    public enum Choice {
        AUTO,
        ALWAYS,
        NEVER
    }

    /** What a text can look like. */
    public enum Color {
        RED("31"),
        GREEN("32"),
        YELLOW("33"),
        BLUE("34"),
        FAINT("2"),
        BOLD("1");

        private final String code;

        Color(String code) {
            this.code = code;
        }
    }

    /**
     * What is written with.
     *
     * @param noColor the value of NO_COLOR, which speaks against colours when there is anything in it
     */
    public static Ink of(Choice choice, Terminal terminal, @Nullable String noColor) {
        return switch (choice) {
            case ALWAYS -> COLORED;
            case NEVER -> PLAIN;
            case AUTO -> terminal.drawable() && (noColor == null || noColor.isEmpty()) ? COLORED : PLAIN;
        };
    }

    /** How long the colour is that begins here, or the end of one; 0 when there is neither. */
    static int lengthOfColor(String text, int place) {
        var matcher = COLOR.matcher(text).region(place, text.length());
        return matcher.lookingAt() ? matcher.end() - place : 0;
    }

    /** The text in a colour. */
    public String paint(Color color, String text) {
        return this == PLAIN || text.isEmpty() ? text : "\u001b[" + color.code + "m" + text + RESET;
    }

    /** The text in the colour of the status that it begins with, if it does. */
    public String paintStatus(String text) {
        var color = STATUSES.get(text.strip());
        return color == null ? text : paint(color, text);
    }
}
