package io.taskexec.model;

/**
 * Text from elsewhere in which nothing is hidden: what a terminal would obey, and what would turn the direction of what
 * follows, is written as {@code \u001b}. That is how JSON and quoted YAML write it too, so that the value there stays
 * the same.
 */
public final class VisibleText {
    private VisibleText() {}

    /** Whether a terminal shows something else for it, or nothing; ends of lines and tabs are meant. */
    public static boolean isHidden(int c) {
        return switch (c) {
            case '\n', '\t' -> false;
            // Direction marks, zero width, ends of lines and paragraphs, and the mark at the beginning of a file.
            case 0x061C, 0x200B, 0x200E, 0x200F, 0x2028, 0x2029, 0xFEFF -> true;
            default -> Character.isISOControl(c) || (c >= 0x202A && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F);
        };
    }

    /** Whether there is anything of this kind in it. */
    public static boolean hasHidden(String text) {
        return text.chars().anyMatch(VisibleText::isHidden);
    }

    /** The same text with what is hidden written out. */
    public static String of(String text) {
        if (!hasHidden(text)) {
            return text;
        }
        var shown = new StringBuilder(text.length() + 16);
        text.chars().forEach(c -> {
            if (isHidden(c)) {
                shown.append(escape(c));
            } else {
                shown.append((char) c);
            }
        });
        return shown.toString();
    }

    /** One character, written out. */
    public static String escape(int c) {
        return "\\u%04x".formatted(c);
    }
}
