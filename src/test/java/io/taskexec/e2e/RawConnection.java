package io.taskexec.e2e;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A connection that is kept as long as the server keeps it, and sends any bytes. */
final class RawConnection implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int NO_CONTENT = 204;
    private static final int CONTINUE = 100;

    private final int port;
    private @Nullable Socket socket;

    RawConnection(int port) {
        this.port = port;
    }

    /** @param status 0 when the connection was closed instead */
    record Response(int status, Map<String, String> headers, String body) {
        String header(String name) {
            return headers.getOrDefault(name, "");
        }
    }

    /** Sends a request and gives the answer; fails when there is none for long. */
    Response exchange(MalformedRequest request) throws IOException {
        if (!request.isHttp()) {
            // Another protocol can only be spoken from the beginning.
            drop();
        }
        var connected = connected();
        try {
            var out = connected.getOutputStream();
            out.write(request.head().getBytes());
            out.write(request.body().getBytes());
            out.flush();
            if (!request.isHttp() || request.isCutOff()) {
                connected.shutdownOutput();
            }
        } catch (IOException _) {
            // A server that has answered already need not read on.
        }
        try {
            var response = read(new BufferedInputStream(connected.getInputStream()), request.method());
            if (response.status() == 0
                    || !request.isHttp()
                    || request.isCutOff()
                    || response.header("connection").equalsIgnoreCase("close")) {
                drop();
            }
            return response;
        } catch (SocketException e) {
            drop();
            if (request.isHttp() && !request.isCutOff()) {
                throw e;
            }
            return new Response(0, Map.of(), "");
        }
    }

    private Socket connected() throws IOException {
        var current = socket;
        if (current == null) {
            current = new Socket(InetAddress.ofLiteral("127.0.0.1"), port);
            current.setSoTimeout(Math.toIntExact(PATIENCE.toMillis()));
            current.setTcpNoDelay(true);
            socket = current;
        }
        return current;
    }

    private static Response read(InputStream in, String method) throws IOException {
        var first = line(in);
        if (first.isEmpty()) {
            return new Response(0, Map.of(), "");
        }
        var status = Integer.parseInt(first.split(" ", 3)[1]);
        var headers = new HashMap<String, String>();
        for (var line = line(in); !line.isEmpty(); line = line(in)) {
            var colon = line.indexOf(':');
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        if (status == CONTINUE) {
            return read(in, method);
        }
        var hasBody = !method.equals("HEAD") && status != NO_CONTENT;
        return new Response(status, headers, hasBody ? body(in, headers) : "");
    }

    private static String body(InputStream in, Map<String, String> headers) throws IOException {
        if (headers.containsKey("content-length")) {
            return new String(in.readNBytes(Integer.parseInt(headers.get("content-length"))), UTF_8);
        }
        var body = new ByteArrayOutputStream();
        if (headers.containsKey("transfer-encoding")) {
            for (var size = Integer.parseInt(line(in), 16); size > 0; size = Integer.parseInt(line(in), 16)) {
                body.writeBytes(in.readNBytes(size));
                var _ = line(in);
            }
            var _ = line(in);
        }
        return body.toString(UTF_8);
    }

    /** Empty at the end of a head, and at the end of everything. */
    private static String line(InputStream in) throws IOException {
        var line = new ByteArrayOutputStream();
        for (var c = in.read(); c >= 0 && c != '\n'; c = in.read()) {
            line.write(c);
        }
        return line.toString(ISO_8859_1).strip();
    }

    @Override
    public void close() throws IOException {
        drop();
    }

    /** The next request gets another connection. */
    void drop() throws IOException {
        if (socket != null) {
            socket.close();
            socket = null;
        }
    }
}
