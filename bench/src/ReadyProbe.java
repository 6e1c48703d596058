import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Asks once whether the program answers an authorised request; cheap enough to ask every few milliseconds. */
final class ReadyProbe {
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    private ReadyProbe() {}

    static boolean answers(Service service) {
        return answersOk(service.address(), "/configs", "Authorization: Bearer " + service.apiKey() + "\r\n");
    }

    /** The same for a process without an API, which tells on its management port. */
    static boolean isReady(InetSocketAddress management) {
        return answersOk(management, "/q/health/ready", "");
    }

    private static boolean answersOk(InetSocketAddress address, String path, String header) {
        try (var socket = new Socket()) {
            socket.connect(address, (int) TIMEOUT.toMillis());
            socket.setSoTimeout((int) TIMEOUT.toMillis());
            String request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + header + "Connection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            byte[] start = socket.getInputStream().readNBytes("HTTP/1.1 200".length());
            return new String(start, StandardCharsets.ISO_8859_1).endsWith(" 200");
        } catch (IOException e) {
            // Nobody listens yet, or not for long enough.
            return false;
        }
    }
}
