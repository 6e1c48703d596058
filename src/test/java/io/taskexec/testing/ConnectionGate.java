package io.taskexec.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A way to a database on which connections wait until the test lets them go on. */
public final class ConnectionGate implements AutoCloseable {
    private final URI database;
    private final int free;
    private final ServerSocket server;
    private final CountDownLatch open = new CountDownLatch(1);
    private final AtomicInteger connections = new AtomicInteger();
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();

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
            copy(target, client);
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

    @Override
    public void close() {
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
