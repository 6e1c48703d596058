package io.taskexec.secret;

/**
 * A text without its escapes, of which each character knows where it began in the text that it was made from. Each
 * layer of escapes is taken off in one pass, so that what was encoded twice is found too. Not thread-safe while it is
 * made.
 */
final class DecodedText {
    /** More than receivers are known to put around each other, with two for what the secret itself looks like. */
    private static final int MOST_LAYERS = 6;

    private final char[] chars;

    /** One more than there are characters: the last is where the text ends. */
    private final int[] starts;

    private int length;

    private DecodedText(char[] chars, int[] starts, int length) {
        this.chars = chars;
        this.starts = starts;
        this.length = length;
    }

    /** The text as it is. */
    static DecodedText of(String text) {
        var starts = new int[text.length() + 1];
        for (var i = 0; i < starts.length; i++) {
            starts[i] = i;
        }
        return new DecodedText(text.toCharArray(), starts, text.length());
    }

    /** Without the escapes of URLs, strings and HTML; this text itself when it has none. */
    DecodedText unescaped() {
        return without(EscapeReader.ofEscapes(), MOST_LAYERS);
    }

    /** Without the escapes of quoted-printable; this text itself when it has none. */
    DecodedText unquoted() {
        return without(EscapeReader.ofQuotedPrintable(), 1);
    }

    private DecodedText without(EscapeReader escapes, int layers) {
        if (!hasAny(escapes)) {
            return this;
        }
        var decoded = new DecodedText(chars.clone(), starts.clone(), length);
        for (var n = 0; n < layers && decoded.takeOff(escapes); n++) {
            // One layer less.
        }
        return decoded;
    }

    private boolean hasAny(EscapeReader escapes) {
        for (var i = 0; i < length; i++) {
            if (escapes.introduces(chars[i]) && escapes.read(chars, i, length) > 0) {
                return true;
            }
        }
        return false;
    }

    /** In place, since nothing gets longer. */
    private boolean takeOff(EscapeReader escapes) {
        var written = 0;
        var read = 0;
        while (read < length) {
            var size = escapes.introduces(chars[read]) ? escapes.read(chars, read, length) : 0;
            var start = starts[read];
            if (size == 0) {
                chars[written] = chars[read++];
                starts[written++] = start;
                continue;
            }
            read += size;
            var point = escapes.codePoint();
            if (Character.isBmpCodePoint(point)) {
                chars[written] = (char) point;
                starts[written++] = start;
            } else {
                chars[written] = Character.highSurrogate(point);
                starts[written++] = start;
                chars[written] = Character.lowSurrogate(point);
                starts[written++] = start;
            }
        }
        var changed = written < length;
        starts[written] = starts[length];
        length = written;
        return changed;
    }

    int length() {
        return length;
    }

    char charAt(int index) {
        return chars[index];
    }

    /**
     * Returns where the character began in the text that this was made from; for {@link #length} it is that text's end.
     */
    int start(int index) {
        return starts[index];
    }
}
