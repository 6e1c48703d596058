package io.taskexec.client.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;

/**
 * The network between a worker and the server. While it is cut, what is sent in either direction is lost and nobody is
 * told. Connections that were there then stay dead, as behind a router that has forgotten them.
 */
final class Network implements AutoCloseable {
    private final ServerSocket listener;
    private final URI server;
    private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();
    private volatile Line line = new Line();

    /** The connections of one span of time. */
    private static final class Line {
        private volatile boolean losesRequests;
        private volatile boolean losesAnswers;
    }

    Network(String server) throws IOException {
        this.server = URI.create(server);
        listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    String url() {
        return "http://127.0.0.1:" + listener.getLocalPort();
    }

    /** What the server sends is lost; what the worker sends arrives. */
    void loseAnswers() {
        line.losesAnswers = true;
    }

    void cut() {
        line.losesRequests = true;
        line.losesAnswers = true;
    }

    void restore() {
        line = new Line();
    }

    private static void start(Runnable work) {
        var thread = new Thread(work, "network");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                var client = listener.accept();
                var target = new Socket(server.getHost(), server.getPort());
                sockets.add(client);
                sockets.add(target);
                var now = line;
                start(() -> forward(client, target, () -> now.losesRequests));
                start(() -> forward(target, client, () -> now.losesAnswers));
            }
        } catch (IOException e) {
            // It was closed.
            return;
        }
    }

    private static void forward(Socket from, Socket to, BooleanSupplier isLost) {
        var buffer = new byte[8192];
        try {
            var input = from.getInputStream();
            for (var size = input.read(buffer); size >= 0; size = input.read(buffer)) {
                if (!isLost.getAsBoolean()) {
                    to.getOutputStream().write(buffer, 0, size);
                }
            }
            if (!isLost.getAsBoolean()) {
                to.shutdownOutput();
            }
        } catch (IOException e) {
            // The other end has gone.
            return;
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
            for (var socket : sockets) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
