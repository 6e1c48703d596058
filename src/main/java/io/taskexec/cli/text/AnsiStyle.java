package io.taskexec.cli.text;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Help.Ansi.Style;
import picocli.CommandLine.Help.ColorScheme;

/** Styles text for a terminal. Colour never carries meaning alone: the words say the same. */
public enum AnsiStyle {
    COLORED(Ansi.ON),
    PLAIN(Ansi.OFF);

    static final char ESCAPE = '\u001b';

    /** Exactly the sequences that {@link ColorScheme#apply} writes for the styles of this class. */
    private static final Pattern SEQUENCE = Pattern.compile("\u001b\\[(?:0|1|2|21|22|3[1-4]|39)m");

    private static final Map<String, Style> STATUSES = Map.ofEntries(
            Map.entry("SUCCESS", Style.fg_green),
            Map.entry("SUCCEEDED", Style.fg_green),
            Map.entry("FIRED", Style.fg_green),
            Map.entry("CLOSED", Style.fg_green),
            Map.entry("RUNNING", Style.fg_blue),
            Map.entry("STARTED", Style.fg_blue),
            Map.entry("DEFERRED", Style.fg_blue),
            Map.entry("RETRYING", Style.fg_yellow),
            Map.entry("HALF_OPEN", Style.fg_yellow),
            Map.entry("INTERRUPTED", Style.fg_yellow),
            Map.entry("LOST", Style.fg_yellow),
            Map.entry("WARN", Style.fg_yellow),
            Map.entry("MISSED", Style.fg_red),
            Map.entry("FAILED", Style.fg_red),
            Map.entry("EXPIRED", Style.fg_red),
            Map.entry("ERROR", Style.fg_red),
            Map.entry("OPEN", Style.fg_red),
            Map.entry("DISABLED", Style.fg_red),
            Map.entry("CANCELLED", Style.faint),
            Map.entry("SUPERSEDED", Style.faint),
            Map.entry("SKIPPED", Style.faint),
            Map.entry("RETIRED", Style.faint));

    // Never changed after it was made.
    @SuppressWarnings("ImmutableEnumChecker")
    private final ColorScheme scheme;

    AnsiStyle(Ansi ansi) {
        this.scheme = Help.defaultColorScheme(ansi);
    }

    /** Values of the option {@code --color}. */
    public enum ColorMode {
        AUTO,
        ALWAYS,
        NEVER
    }

    /**
     * Returns the style for an output. {@link Ansi#AUTO} cannot decide, since it asks whether input and output are both
     * terminals.
     *
     * @param noColor the value of NO_COLOR, which switches colours off unless it is empty
     */
    public static AnsiStyle of(ColorMode mode, Terminal terminal, @Nullable String noColor) {
        return switch (mode) {
            case ALWAYS -> COLORED;
            case NEVER -> PLAIN;
            case AUTO -> terminal.drawable() && (noColor == null || noColor.isEmpty()) ? COLORED : PLAIN;
        };
    }

    /** Returns the length of the style sequence that begins at an index; 0 when there is none. */
    static int sequenceLength(String text, int index) {
        var matcher = SEQUENCE.matcher(text).region(index, text.length());
        return matcher.lookingAt() ? matcher.end() - index : 0;
    }

    /** Applies a style to the whole text. */
    public String apply(Style style, String text) {
        return scheme.apply(text, List.of(style)).toString();
    }

    /** Applies the style of a status; other texts stay as they are. */
    public String applyStatus(String text) {
        var style = STATUSES.get(text.strip());
        return style == null ? text : apply(style, text);
    }
}
