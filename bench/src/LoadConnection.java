import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/** One keep-alive connection of the load generator, with at most one request under way. */
final class LoadConnection {
    static final int UNANSWERED = -1;
    static final int BROKEN = 0;
    private static final int ANSWER_BYTES_FIRST = 8 * 1024;
    private static final int ANSWER_BYTES_MAX = 1024 * 1024;

    private final SocketChannel channel;
    private ByteBuffer buffer = ByteBuffer.allocate(ANSWER_BYTES_FIRST);
    private int request;

    private LoadConnection(SocketChannel channel) {
        this.channel = channel;
    }

    static LoadConnection open(InetSocketAddress target, Selector selector) throws IOException {
        SocketChannel channel = SocketChannel.open(target);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.configureBlocking(false);
        var connection = new LoadConnection(channel);
        channel.register(selector, SelectionKey.OP_READ, connection);
        return connection;
    }

    void send(int n, byte[] message) throws IOException {
        request = n;
        buffer.clear();
        ByteBuffer rest = ByteBuffer.wrap(message);
        while (rest.hasRemaining()) {
            channel.write(rest);
        }
    }

    /** The number of the request that was sent last. */
    int request() {
        return request;
    }

    /** Reads what has come: the status of the whole answer, UNANSWERED, or BROKEN. */
    int readStatus() {
        try {
            if (!buffer.hasRemaining()) {
                grow();
            }
            if (channel.read(buffer) < 0 || buffer.position() == ANSWER_BYTES_MAX) {
                return BROKEN;
            }
        } catch (IOException e) {
            return BROKEN;
        }
        int to = buffer.position();
        byte[] bytes = buffer.array();
        int body = HttpMessage.bodyStart(bytes, 0, to);
        if (body == HttpMessage.INCOMPLETE || !HttpMessage.isWhole(bytes, 0, body, to)) {
            return UNANSWERED;
        }
        return HttpMessage.status(bytes, 0, to);
    }

    /** Answers to batches are long, and one of them says how long the others will be. */
    private void grow() {
        buffer = ByteBuffer.allocate(2 * buffer.capacity()).put(buffer.flip());
    }
}
