import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Instant;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** The HTTP server that jobs are delivered to: one thread, mostly one answer, and the time of each arrival. */
final class Receiver implements AutoCloseable {
    private final Selector selector;
    private final ServerSocketChannel server;
    private final List<Arrivals> arrivals = new CopyOnWriteArrayList<>();
    private final PriorityQueue<HeldCall> held = new PriorityQueue<>();
    private final AtomicInteger strays = new AtomicInteger();

    private Receiver() throws IOException {
        selector = Selector.open();
        server = ServerSocketChannel.open();
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1024);
        server.configureBlocking(false);
        server.register(selector, SelectionKey.OP_ACCEPT);
    }

    static Receiver start() throws IOException {
        var receiver = new Receiver();
        Thread.ofPlatform().name("receiver").daemon().start(receiver::serve);
        return receiver;
    }

    /** A fresh place to record the numbers 0 to count - 1, with a path of its own. */
    Arrivals expect(String scenario, int count) {
        return expect(scenario, count, Numbering.BODY);
    }

    Arrivals expect(String scenario, int count, Numbering numbering) {
        return expect(scenario, count, numbering, Reception.AT_ONCE);
    }

    /** The same with calls that are not all answered at once and alike. */
    Arrivals expect(String scenario, int count, Numbering numbering, Reception reception) {
        var expected = new Arrivals(scenario, arrivals.size(), count, numbering, reception);
        arrivals.add(expected);
        return expected;
    }

    InetSocketAddress address() {
        try {
            return (InetSocketAddress) server.getLocalAddress();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String host() {
        return "127.0.0.1:" + address().getPort();
    }

    List<Arrivals> all() {
        return List.copyOf(arrivals);
    }

    /** Requests that no scenario expected: another path, or no number of that scenario. */
    int strays() {
        return strays.get();
    }

    /** Records a request; gives false when it is answered later. */
    boolean arrived(
            ReceiverConnection connection,
            int key,
            int bodyNumber,
            Supplier<Instant> scheduledFor,
            int execution,
            long nanos) {
        if (key >= 0 && key < arrivals.size()) {
            Arrivals expected = arrivals.get(key);
            int n = expected.numbering().number(bodyNumber, scheduledFor);
            if (n >= 0 && n < expected.count()) {
                expected.record(n, execution, nanos);
                if (expected.reception() == Reception.AT_ONCE) {
                    return true;
                }
                Reply reply = expected.reception().begin(n, nanos);
                var call = new HeldCall(connection, expected.reception(), reply, nanos);
                connection.holds(call);
                held.add(call);
                return false;
            }
        }
        strays.incrementAndGet();
        return true;
    }

    @Override
    public void close() throws IOException {
        selector.close();
        server.close();
    }

    private void serve() {
        try {
            while (selector.isOpen()) {
                selector.select(this::ready, answerWhatIsDue());
            }
        } catch (ClosedSelectorException e) {
            // Closed from outside: the run is over.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends the held calls that are due, and says in how many milliseconds the next one is; 0 when none waits. */
    private long answerWhatIsDue() {
        while (!held.isEmpty()) {
            long waitNanos = held.peek().dueNanos() - System.nanoTime();
            if (waitNanos > 0) {
                return TimeUnit.NANOSECONDS.toMillis(waitNanos) + 1;
            }
            try {
                held.remove().answer();
            } catch (IOException e) {
                // The other side went away; its call is not answered any more.
            }
        }
        return 0;
    }

    private void ready(SelectionKey key) {
        try {
            if (key.isAcceptable()) {
                accept();
            } else {
                ((ReceiverConnection) key.attachment()).read();
            }
        } catch (IOException e) {
            // The other side went away; what it did not deliver shows as missing.
            closeQuietly(key);
        } catch (IllegalStateException e) {
            System.err.println("The receiver closed a connection: " + e.getMessage());
            closeQuietly(key);
        }
    }

    private void accept() throws IOException {
        SocketChannel channel = server.accept();
        if (channel != null) {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.register(selector, SelectionKey.OP_READ, new ReceiverConnection(channel, this));
        }
    }

    private static void closeQuietly(SelectionKey key) {
        if (key.attachment() instanceof ReceiverConnection connection) {
            connection.closed();
        }
        key.cancel();
        try {
            key.channel().close();
        } catch (IOException e) {
            // It is closed all the same.
        }
    }
}
