package io.taskexec.web.frame;

import io.quarkus.qute.RawString;
import io.taskexec.api.web.PlainPage;
import java.nio.charset.StandardCharsets;

/**
 * The room that the texts of people have in a page, so that it stays small whatever they have written. Each text may
 * take a part of what is left alone, so that the last ones are not cut to nothing; the API has the rest.
 */
final class TextRoom {
    /** So long, a text is always shown as a whole. */
    private static final int SHORT = 40;

    private final int longest;
    private final int part;
    private int left;

    /**
     * @param bytes of all texts, as they stand in the page
     * @param longest characters of one text
     * @param part the share of what is left that one text may take, as 4 for a quarter
     */
    TextRoom(int bytes, int longest, int part) {
        this.left = bytes;
        this.longest = longest;
        this.part = part;
    }

    /** The text between tags, cut to its room. */
    RawString take(String text) {
        var end = end(text);
        var shown = PlainPage.escapeContent(text.substring(0, end));
        left = Math.max(0, left - size(shown));
        return new RawString(
                end == text.length() ? shown : shown + "\n… %,d more characters".formatted(text.length() - end));
    }

    /** Whether the text would be shown as a whole. */
    boolean fits(String text) {
        return end(text) == text.length();
    }

    /** Whether there is room for the text as a whole, which a short text does not need to be taken. */
    boolean hasRoom(String text) {
        return text.length() <= longest && size(PlainPage.escapeContent(text)) <= left / part;
    }

    private int end(String text) {
        var most = left / part;
        var end = 0;
        var bytes = 0;
        while (end < text.length()) {
            var point = text.codePointAt(end);
            bytes += size(PlainPage.escapeContent(Character.toString(point)));
            if (end >= SHORT && (end >= longest || bytes > most)) {
                break;
            }
            end += Character.charCount(point);
        }
        return end;
    }

    private static int size(String html) {
        return html.getBytes(StandardCharsets.UTF_8).length;
    }
}
