import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Asks once whether the program answers an authorised request; cheap enough to ask every few milliseconds. */
final class ReadyProbe {
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    private ReadyProbe() {}

    static boolean answers(Service service) {
        try (var socket = new Socket()) {
            socket.connect(service.address(), (int) TIMEOUT.toMillis());
            socket.setSoTimeout((int) TIMEOUT.toMillis());
            String request = "GET /configs HTTP/1.1\r\nHost: " + service.host() + "\r\nAuthorization: Bearer "
                    + service.apiKey() + "\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            byte[] start = socket.getInputStream().readNBytes("HTTP/1.1 200".length());
            return new String(start, StandardCharsets.ISO_8859_1).endsWith(" 200");
        } catch (IOException e) {
            // Nobody listens yet, or not for long enough.
            return false;
        }
    }
}
