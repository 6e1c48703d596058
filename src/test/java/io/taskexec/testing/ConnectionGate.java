package io.taskexec.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A way to a database on which connections wait until the test lets them go on, and answers may be lost. */
public final class ConnectionGate implements AutoCloseable {
    private final URI database;
    private final int free;
    private final ServerSocket server;
    private final CountDownLatch open = new CountDownLatch(1);
    private final AtomicInteger connections = new AtomicInteger();
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final List<Runnable> beforeClose = new CopyOnWriteArrayList<>();
    private final Queue<String> lost = new ConcurrentLinkedQueue<>();

    /**
     * @param port where it listens, 0 for any
     * @param url of the database
     * @param free how many connections need not wait
     */
    public ConnectionGate(int port, String url, int free) {
        this.database = URI.create(url);
        this.free = free;
        try {
            server = new ServerSocket(port, 50, InetAddress.ofLiteral("127.0.0.1"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        var _ = Thread.ofVirtual().start(this::accept);
    }

    /** The URL of the database on another port. */
    public static String url(String database, int port) {
        return database.replace(":" + URI.create(database).getPort() + "/", ":" + port + "/");
    }

    /** The URL of the database over this gate. */
    public String url() {
        return url(database.toString(), server.getLocalPort());
    }

    /** Waits until so many have connected, be it to wait. */
    public void awaitConnections(int count) throws InterruptedException {
        Eventually.await(count + " connections", Duration.ofSeconds(60), () -> connections.get() >= count);
    }

    /** Lets go on those that wait and all that come. */
    public void letGo() {
        open.countDown();
    }

    /** Where it listens. */
    int port() {
        return server.getLocalPort();
    }

    /** Closes the users of this gate with it. */
    void beforeClose(Runnable closing) {
        beforeClose.add(closing);
    }

    /** Ends a connection in place of the answer with the last of these command tags, once the others have come. */
    public void lose(String... tags) {
        lost.clear();
        lost.addAll(List.of(tags));
    }

    /** Whether the answer was lost. */
    public boolean hasLost() {
        return lost.isEmpty();
    }

    private synchronized boolean isLost(String answer) {
        var waits = !lost.isEmpty();
        while (!lost.isEmpty() && answer.contains(lost.element() + "\0")) {
            lost.remove();
        }
        return waits && lost.isEmpty();
    }

    private void accept() {
        try {
            while (true) {
                var client = server.accept();
                sockets.add(client);
                var number = connections.incrementAndGet();
                var _ = Thread.ofVirtual().start(() -> connect(client, number));
            }
        } catch (IOException _) {
            // It was closed.
        }
    }

    private void connect(Socket client, int number) {
        try {
            if (number > free) {
                open.await();
            }
            var target = new Socket(database.getHost(), database.getPort());
            sockets.add(target);
            var _ = Thread.ofVirtual().start(() -> copy(client, target));
            copyAnswers(target, client);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private static void copy(Socket from, Socket to) {
        try (from;
                to) {
            var _ = from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException _) {
            // One of both has gone.
        }
    }

    private void copyAnswers(Socket from, Socket to) {
        var buffer = new byte[65_536];
        try (from;
                to) {
            for (var length = read(from, buffer); length >= 0; length = read(from, buffer)) {
                if (isLost(new String(buffer, 0, length, StandardCharsets.ISO_8859_1))) {
                    return;
                }
                to.getOutputStream().write(buffer, 0, length);
            }
        } catch (IOException _) {
            // One of both has gone.
        }
    }

    private static int read(Socket from, byte[] buffer) throws IOException {
        return from.getInputStream().read(buffer);
    }

    @Override
    public void close() {
        beforeClose.forEach(Runnable::run);
        try {
            server.close();
            for (var socket : sockets) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
