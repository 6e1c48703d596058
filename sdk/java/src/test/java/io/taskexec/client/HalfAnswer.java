package io.taskexec.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A server that begins each answer, or not even that, and never goes on, as one does whose network has gone. */
final class HalfAnswer implements AutoCloseable {
    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final byte[] beginning;

    HalfAnswer(String type, String beginning) throws IOException {
        this("HTTP/1.1 200 OK\r\nContent-Type: " + type + "\r\nContent-Length: 1000\r\n\r\n" + beginning);
    }

    static HalfAnswer error() throws IOException {
        return new HalfAnswer("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 1000\r\n\r\n{");
    }

    static HalfAnswer silent() throws IOException {
        return new HalfAnswer("");
    }

    private HalfAnswer(String beginning) throws IOException {
        this.beginning = beginning.getBytes(StandardCharsets.UTF_8);
        var thread = new Thread(this::accept);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                var socket = server.accept();
                sockets.add(socket);
                socket.getOutputStream().write(beginning);
            }
        } catch (IOException e) {
            // It was closed.
        }
    }

    String url() {
        return "http://127.0.0.1:" + server.getLocalPort();
    }

    int connections() {
        return sockets.size();
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (var socket : sockets) {
            socket.close();
        }
    }
}
