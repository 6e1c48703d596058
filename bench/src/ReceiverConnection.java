import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;

/** One connection to the receiver: reads requests as they come, and answers each. */
final class ReceiverConnection {
    private static final byte[] ANSWER =
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOK".getBytes(StandardCharsets.ISO_8859_1);
    private static final byte[] EXECUTION_ID = "taskexec-execution-id:".getBytes(StandardCharsets.ISO_8859_1);
    private static final byte[] SCHEDULED_FOR = "taskexec-scheduled-for:".getBytes(StandardCharsets.ISO_8859_1);
    private static final int REQUEST_BYTES_MAX = 16 * 1024;

    private final SocketChannel channel;
    private final Receiver receiver;
    private final byte[] bytes = new byte[REQUEST_BYTES_MAX];
    private final ByteBuffer buffer = ByteBuffer.wrap(bytes);
    private Optional<HeldCall> held = Optional.empty();

    ReceiverConnection(SocketChannel channel, Receiver receiver) {
        this.channel = channel;
        this.receiver = receiver;
    }

    void read() throws IOException {
        if (channel.read(buffer) < 0) {
            throw new EOFException();
        }
        long nanos = System.nanoTime();
        int from = 0;
        int next = answerOne(from, nanos);
        while (next != HttpMessage.INCOMPLETE) {
            from = next;
            next = answerOne(from, nanos);
        }
        buffer.flip().position(from);
        buffer.compact();
        if (!buffer.hasRemaining()) {
            throw new IllegalStateException("A request is longer than " + REQUEST_BYTES_MAX + " bytes.");
        }
    }

    /** Records and answers the request that begins at a place; returns where the next one begins, or INCOMPLETE. */
    private int answerOne(int from, long nanos) throws IOException {
        int to = buffer.position();
        int body = HttpMessage.bodyStart(bytes, from, to);
        int end = body == HttpMessage.INCOMPLETE ? body : HttpMessage.end(bytes, from, body, to);
        if (end != HttpMessage.INCOMPLETE) {
            int n = HttpMessage.number(bytes, body, end);
            boolean now = receiver.arrived(
                    this, pathKey(from, body), n, () -> scheduledFor(from, body), execution(from, body), nanos);
            if (now) {
                answer(ANSWER);
            }
        }
        return end;
    }

    /** The number in "POST /hit/7 HTTP/1.1". */
    private int pathKey(int from, int to) {
        int space = from;
        while (space < to && bytes[space] != ' ') {
            space++;
        }
        return HttpMessage.number(bytes, space, to);
    }

    private int execution(int from, int to) {
        int value = HttpMessage.header(bytes, from, to, EXECUTION_ID);
        int hash = 0;
        for (int i = value; i >= 0 && i < to && bytes[i] != '\r'; i++) {
            hash = 31 * hash + bytes[i];
        }
        return hash;
    }

    private Instant scheduledFor(int from, int to) {
        int value = HttpMessage.header(bytes, from, to, SCHEDULED_FOR);
        int end = value;
        while (end >= 0 && end < to && bytes[end] != '\r') {
            end++;
        }
        return end < 0
                ? Instant.EPOCH
                : Instant.parse(new String(bytes, value, end - value, StandardCharsets.ISO_8859_1).strip());
    }

    /** A call of this connection is answered later; no other one comes before that. */
    void holds(HeldCall call) {
        held = Optional.of(call);
    }

    /** The other side went away: nobody waits for an answer any more. */
    void closed() {
        held.ifPresent(HeldCall::end);
    }

    void answer(byte[] whole) throws IOException {
        if (!channel.isOpen()) {
            return;
        }
        ByteBuffer answer = ByteBuffer.wrap(whole);
        while (answer.hasRemaining()) {
            // A few bytes into an empty socket buffer: this loop runs once, but nothing promises that.
            channel.write(answer);
        }
    }
}
