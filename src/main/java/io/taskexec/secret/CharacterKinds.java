package io.taskexec.secret;

/**
 * Classifies characters by their meaning in the notations of secrets, with a table, since each character is looked up.
 */
final class CharacterKinds {
    private static final int ASCII = 0x80;
    private static final byte DROPPED = 1;
    private static final byte BASE64 = 2;
    private static final byte HEX = 4;
    private static final byte BETWEEN_BYTES = 8;
    private static final byte SPACE = 16;
    private static final byte[] KINDS = kinds();

    private CharacterKinds() {}

    /**
     * White space, control characters and what has no width, which change on the way; a plus, which is a space in
     * forms; backslashes and quotes, which belong to a notation.
     */
    static boolean isDropped(char c) {
        return c < ASCII
                ? is(c, DROPPED)
                : c == '\ufffd' || isWide(c) || Character.isISOControl(c) || Character.getType(c) == Character.FORMAT;
    }

    static boolean isBase64(char c) {
        return c < ASCII && is(c, BASE64);
    }

    static boolean isHex(char c) {
        return c < ASCII && is(c, HEX);
    }

    /** White space is between bytes as well. */
    static boolean separatesBytes(char c) {
        return c < ASCII ? is(c, BETWEEN_BYTES) : isWide(c);
    }

    static boolean isSpace(char c) {
        return c < ASCII ? is(c, SPACE) : isWide(c);
    }

    static char small(char c) {
        if (c >= ASCII) {
            return Character.toLowerCase(c);
        }
        return c >= 'A' && c <= 'Z' ? (char) (c + 'a' - 'A') : c;
    }

    private static boolean isWide(char c) {
        return Character.isWhitespace(c) || Character.isSpaceChar(c);
    }

    private static boolean is(char c, byte kind) {
        return (KINDS[c] & kind) != 0;
    }

    private static byte[] kinds() {
        var kinds = new byte[ASCII];
        for (var c = 0; c < ASCII; c++) {
            var kind = 0;
            if (Character.isWhitespace(c)) {
                kind |= SPACE | BETWEEN_BYTES;
            }
            if (Character.isWhitespace(c) || Character.isISOControl(c) || "+\\\"'`".indexOf(c) >= 0) {
                kind |= DROPPED;
            }
            if (Character.isLetterOrDigit(c) || c == '+' || c == '/') {
                kind |= BASE64;
            }
            if (Character.digit(c, 16) >= 0) {
                kind |= HEX;
            }
            if (":-,.;\\".indexOf(c) >= 0) {
                kind |= BETWEEN_BYTES;
            }
            kinds[c] = (byte) kind;
        }
        return kinds;
    }
}
