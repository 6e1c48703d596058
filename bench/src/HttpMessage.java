import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The few things that both sides need to know of an HTTP/1.1 message that lies in a buffer. */
final class HttpMessage {
    private static final byte[] CONTENT_LENGTH = "content-length:".getBytes(StandardCharsets.ISO_8859_1);
    private static final byte[] TRANSFER_ENCODING = "transfer-encoding:".getBytes(StandardCharsets.ISO_8859_1);
    private static final byte[] LAST_CHUNK = "0\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1);
    static final int INCOMPLETE = -1;

    private HttpMessage() {}

    /** Where the body begins, or INCOMPLETE. */
    static int bodyStart(byte[] bytes, int from, int to) {
        for (int i = from + 3; i < to; i++) {
            if (bytes[i] == '\n' && bytes[i - 1] == '\r' && bytes[i - 2] == '\n' && bytes[i - 3] == '\r') {
                return i + 1;
            }
        }
        return INCOMPLETE;
    }

    /** Where the next message begins, or INCOMPLETE. */
    static int end(byte[] bytes, int from, int bodyStart, int to) {
        if (isChunked(bytes, from, bodyStart)) {
            throw new IllegalStateException("A chunked request arrived; the receiver reads Content-Length only.");
        }
        int length = header(bytes, from, bodyStart, CONTENT_LENGTH);
        int end = bodyStart + (length < 0 ? 0 : number(bytes, length, bodyStart));
        return end > to ? INCOMPLETE : end;
    }

    /** Whether a message that nothing can follow yet is whole; chunked ones end with an empty chunk. */
    static boolean isWhole(byte[] bytes, int from, int bodyStart, int to) {
        return isChunked(bytes, from, bodyStart)
                ? to - bodyStart >= LAST_CHUNK.length
                        && Arrays.equals(bytes, to - LAST_CHUNK.length, to, LAST_CHUNK, 0, LAST_CHUNK.length)
                : end(bytes, from, bodyStart, to) != INCOMPLETE;
    }

    private static boolean isChunked(byte[] bytes, int from, int bodyStart) {
        return header(bytes, from, bodyStart, TRANSFER_ENCODING) >= 0;
    }

    /** The status code of an answer, which stands behind "HTTP/1.1 ". */
    static int status(byte[] bytes, int from, int to) {
        return number(bytes, from + "HTTP/1.1 ".length(), to);
    }

    /** Where the value of a header begins (its name in lower case, with the colon), or -1. */
    static int header(byte[] bytes, int from, int to, byte[] name) {
        for (int i = from; i < to - name.length; i++) {
            if (bytes[i] == '\n' && startsWith(bytes, i + 1, name)) {
                return i + 1 + name.length;
            }
        }
        return -1;
    }

    /** The first number from a place on; -1 where there is none. */
    static int number(byte[] bytes, int from, int to) {
        int i = from;
        while (i < to && (bytes[i] < '0' || bytes[i] > '9')) {
            i++;
        }
        int value = i < to ? 0 : -1;
        while (i < to && bytes[i] >= '0' && bytes[i] <= '9') {
            value = value * 10 + (bytes[i++] - '0');
        }
        return value;
    }

    private static boolean startsWith(byte[] bytes, int at, byte[] name) {
        for (int i = 0; i < name.length; i++) {
            byte b = bytes[at + i];
            byte lower = b >= 'A' && b <= 'Z' ? (byte) (b + 32) : b;
            if (lower != name[i]) {
                return false;
            }
        }
        return true;
    }
}
