package io.taskexec.secret;

/**
 * Reads a single escape within a text: of a URL (percent), of a string of some language (backslash), of HTML and XML
 * (ampersand), or of quoted-printable (equals sign). Not thread-safe.
 */
final class EscapeReader {
    private static final int MAX_ENTITY = 10;
    private static final int MAX_DIGITS = 8;
    private static final int NOT_HEX = -1;

    private final boolean quotedPrintable;
    private char[] chars = {};
    private int end;
    private int value;

    private EscapeReader(boolean quotedPrintable) {
        this.quotedPrintable = quotedPrintable;
    }

    /** Reads the escapes of URLs, of strings and of HTML. */
    static EscapeReader ofEscapes() {
        return new EscapeReader(false);
    }

    static EscapeReader ofQuotedPrintable() {
        return new EscapeReader(true);
    }

    /** Whether an escape can begin with {@code c}. */
    boolean introduces(char c) {
        return quotedPrintable ? c == '=' : c == '%' || c == '\\' || c == '&';
    }

    /**
     * Returns the number of characters of the escape that {@code at} {@linkplain #introduces may begin}, which is never
     * less than what {@link #codePoint} is written with; 0 when there is none.
     */
    int read(char[] text, int at, int length) {
        chars = text;
        end = length;
        return switch (text[at]) {
            case '=' -> quotedPrintable(at);
            case '%' -> percent(at);
            case '&' -> entity(at);
            default -> backslash(at);
        };
    }

    /** The value of the escape that was read last: a code point, or half of a surrogate pair. */
    int codePoint() {
        return value;
    }

    private int percent(int at) {
        if (at + 1 < end && (chars[at + 1] == 'u' || chars[at + 1] == 'U')) {
            return number(at, 2, 4);
        }
        return octets(at);
    }

    /** A line break after an equals sign is no part of the text; it is left as a line break, which does not count. */
    private int quotedPrintable(int at) {
        var size = softBreak(at);
        if (size > 0) {
            value = '\n';
            return size;
        }
        return octets(at);
    }

    private int softBreak(int at) {
        if (!quotedPrintable || at + 1 >= end || chars[at] != '=') {
            return 0;
        }
        // A carriage return that was an escape of a string has become a line feed.
        var hasReturn = chars[at + 1] == '\r' || (at + 2 < end && chars[at + 2] == '\n' && chars[at + 1] == '\n');
        var feed = hasReturn ? at + 2 : at + 1;
        return feed < end && chars[feed] == '\n' ? feed + 1 - at : 0;
    }

    private int backslash(int at) {
        if (at + 1 == end) {
            return 0;
        }
        var size = switch (chars[at + 1]) {
            case 'u' -> braced(at) > 0 ? braced(at) : number(at, 2, 4);
            case 'U' -> number(at, 2, MAX_DIGITS);
            case 'x' -> braced(at) > 0 ? braced(at) : octets(at);
            case '0', '1', '2', '3', '4', '5', '6', '7' -> octets(at);
            default -> 0;
        };
        return size > 0 ? size : isCutOff(at) ? 0 : escapedCharacter(chars[at + 1]);
    }

    /** Whether the text ends before the digits do, which is left for {@link Needle} to see. */
    private boolean isCutOff(int at) {
        if ("uUx".indexOf(chars[at + 1]) < 0 || end - at > MAX_DIGITS + 2) {
            return false;
        }
        for (var i = at + 2; i < end; i++) {
            if (chars[i] != '{' && hex(i) == NOT_HEX) {
                return false;
            }
        }
        return true;
    }

    /** A letter for a control character, all of which are alike here; any other character stands for itself. */
    private int escapedCharacter(char c) {
        value = "abefnrtv".indexOf(c) >= 0 ? '\n' : c;
        return 2;
    }

    /** {@code \}{@code u{2b}} or {@code \x{2b}}. */
    private int braced(int at) {
        if (at + 2 >= end || chars[at + 2] != '{') {
            return 0;
        }
        var digits = 0;
        while (at + 3 + digits < end && digits < MAX_DIGITS && hex(at + 3 + digits) != NOT_HEX) {
            digits++;
        }
        var close = at + 3 + digits;
        return digits > 0 && close < end && chars[close] == '}' && number(at, 3, digits) > 0 ? digits + 4 : 0;
    }

    /** {@code count} digits, after a beginning of {@code skipped} characters. */
    private int number(int at, int skipped, int count) {
        if (at + skipped + count > end) {
            return 0;
        }
        var number = 0L;
        for (var i = at + skipped; i < at + skipped + count; i++) {
            if (hex(i) == NOT_HEX) {
                return 0;
            }
            number = (number << 4) | hex(i);
        }
        if (number > Character.MAX_CODE_POINT) {
            return 0;
        }
        value = (int) number;
        return skipped + count;
    }

    private int entity(int at) {
        var semicolon = at + 1;
        while (semicolon < end && semicolon - at <= MAX_ENTITY && isOfEntity(chars[semicolon])) {
            semicolon++;
        }
        if (semicolon >= end || chars[semicolon] != ';' || semicolon == at + 1) {
            return 0;
        }
        value = Entities.codePoint(new String(chars, at + 1, semicolon - at - 1));
        return value < 0 ? 0 : semicolon + 1 - at;
    }

    private static boolean isOfEntity(char c) {
        return c == '#' || (c < 0x80 && Character.isLetterOrDigit(c));
    }

    /** A character in UTF-8, each byte of which is an escape; a byte that belongs to none is one in Latin-1. */
    private int octets(int at) {
        var size = octet(at);
        var first = value;
        if (size == 0) {
            return 0;
        }
        var more = first < 0xc2 || first > 0xf4 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
        var point = more == 0 ? first : first & (0x3f >> more);
        var total = size;
        for (var n = 0; n < more; n++) {
            total += softBreak(at + total);
            var next = at + total < end && chars[at + total] == chars[at] ? octet(at + total) : 0;
            if (next == 0 || (value & 0xc0) != 0x80) {
                value = first;
                return size;
            }
            point = (point << 6) | (value & 0x3f);
            total += next;
        }
        value = Math.min(point, Character.MAX_CODE_POINT);
        return total;
    }

    /** A byte as {@code %2b}, {@code =2b}, {@code \x2b} or {@code \053}. */
    private int octet(int at) {
        if (chars[at] != '\\') {
            return number(at, 1, 2);
        }
        if (at + 1 < end && chars[at + 1] == 'x') {
            return number(at, 2, 2);
        }
        var octal = 0;
        var digits = 0;
        while (digits < 3 && at + 1 + digits < end && chars[at + 1 + digits] >= '0' && chars[at + 1 + digits] <= '7') {
            octal = octal * 8 + chars[at + 1 + digits] - '0';
            digits++;
        }
        value = octal & 0xff;
        return digits == 0 ? 0 : digits + 1;
    }

    private int hex(int at) {
        return chars[at] < 0x80 ? Character.digit(chars[at], 16) : NOT_HEX;
    }
}
