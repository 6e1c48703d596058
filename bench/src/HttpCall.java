import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;

/** The leanest HTTP client for a thread of its own: one kept connection, one request at a time. */
final class HttpCall implements AutoCloseable {
    private static final int ANSWER_BYTES_MAX = 8 * 1024;

    private final Socket socket;
    private final byte[] answer = new byte[ANSWER_BYTES_MAX];

    HttpCall(InetSocketAddress target) {
        try {
            socket = new Socket(target.getAddress(), target.getPort());
            socket.setTcpNoDelay(true);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends a request and waits for the whole answer, which must have status 200. */
    void send(byte[] request) throws IOException {
        socket.getOutputStream().write(request);
        int to = 0;
        int body = HttpMessage.INCOMPLETE;
        while (body == HttpMessage.INCOMPLETE || HttpMessage.end(answer, 0, body, to) == HttpMessage.INCOMPLETE) {
            int read = socket.getInputStream().read(answer, to, answer.length - to);
            if (read <= 0) {
                throw new EOFException("The receiver closed the connection.");
            }
            to += read;
            body = HttpMessage.bodyStart(answer, 0, to);
        }
        if (HttpMessage.status(answer, 0, to) != 200) {
            throw new IOException("The receiver answered " + HttpMessage.status(answer, 0, to) + ".");
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
