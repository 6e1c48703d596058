import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * How the receiver answers a call.
 *
 * @param bytes the whole answer
 * @param afterNanos how long it holds the call before
 */
record Reply(byte[] bytes, long afterNanos) {
    private static final byte[] OK = answer("200 OK");
    private static final byte[] FAILED = answer("500 Internal Server Error");
    private static final byte[] TOO_MANY = answer("429 Too Many Requests");

    static Reply ok(Duration after) {
        return new Reply(OK, after.toNanos());
    }

    static Reply failed() {
        return new Reply(FAILED, 0);
    }

    static Reply tooMany() {
        return new Reply(TOO_MANY, 0);
    }

    private static byte[] answer(String status) {
        return ("HTTP/1.1 " + status + "\r\nContent-Length: 2\r\n\r\nOK").getBytes(StandardCharsets.ISO_8859_1);
    }
}
