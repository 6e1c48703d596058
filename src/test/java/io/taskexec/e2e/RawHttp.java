package io.taskexec.e2e;

import io.taskexec.testing.Api;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** HTTP as no client library would send it. */
final class RawHttp {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private RawHttp() {}

    /** Posts {@code begin} and then {@code times} the same chunk; gives all that is answered before the end. */
    static String postChunked(Api api, String path, String begin, String chunk, int times) throws IOException {
        try (var socket = new Socket(InetAddress.ofLiteral("127.0.0.1"), api.port())) {
            socket.setSoTimeout(Math.toIntExact(PATIENCE.toMillis()));
            var out = socket.getOutputStream();
            out.write(ascii("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + api.key()
                    + "\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"));
            try {
                out.write(chunk(begin));
                for (var n = 0; n < times; n++) {
                    out.write(chunk(chunk));
                }
                out.write(ascii("0\r\n\r\n"));
                out.flush();
            } catch (IOException _) {
                // A server that has answered already need not read on.
            }
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static byte[] chunk(String data) {
        return ascii(Integer.toHexString(data.length()) + "\r\n" + data + "\r\n");
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
