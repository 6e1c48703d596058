package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.EventClient;
import io.taskexec.testing.Program;
import io.taskexec.testing.ServerDb;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Clients that are slow or many, at both ports of the packaged program. */
class ConnectionsIT {
    private static final int MOST = 8;
    private static final int BOUND_MS = 40_000;

    private static final Program program = Program.serving(ServerDb.fresh(ConnectionsIT.class))
            .with("TE_LISTEN_REQUEST_TIMEOUT_SEC", "2")
            .with("TE_LISTEN_IDLE_TIMEOUT_SEC", "20")
            .with("TE_LISTEN_MAX_CONNECTIONS", "" + MOST)
            .with("TE_EVENTS_ENABLED", "true")
            .start();

    @BeforeAll
    static void awaitReady() throws InterruptedException {
        program.awaitReady();
    }

    @AfterAll
    static void stop() {
        program.close();
    }

    private static List<Integer> ports() {
        return List.of(program.apiPort(), program.managementPort());
    }

    private static Socket connect(int port) throws IOException {
        var socket = new Socket(InetAddress.ofLiteral("127.0.0.1"), port);
        socket.setSoTimeout(BOUND_MS);
        return socket;
    }

    private static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** Reads to the end; fails when it does not come. */
    private static String rest(Socket socket) throws IOException {
        try {
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (SocketTimeoutException e) {
            throw new AssertionError("The connection is still open.", e);
        } catch (IOException _) {
            return "";
        }
    }

    @Test
    void aSlowClientIsCutOffAtBothPorts() throws IOException {
        var sockets = new LinkedHashMap<Socket, String>();
        try {
            for (var port : ports()) {
                for (var begin : List.of(
                        "",
                        "GET / HT",
                        "GET /jobs HTTP/1.1\r\nX-Slow:",
                        "POST /jobs HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n")) {
                    var socket = connect(port);
                    sockets.put(socket, port + " " + begin);
                    send(socket, begin);
                    socket.setSoTimeout(20);
                }
            }
            var end = System.nanoTime() + Duration.ofMillis(BOUND_MS).toNanos();
            while (!sockets.isEmpty()) {
                assertThat(System.nanoTime()).as(sockets.toString()).isLessThan(end);
                sockets.keySet().removeIf(ConnectionsIT::isCut);
            }
        } finally {
            for (var socket : sockets.keySet()) {
                socket.close();
            }
        }
    }

    /** Sends one more byte. */
    private static boolean isCut(Socket socket) {
        try {
            send(socket, "x");
            var _ = socket.getInputStream().readAllBytes();
            socket.close();
            return true;
        } catch (SocketTimeoutException _) {
            return false;
        } catch (IOException _) {
            return true;
        }
    }

    @Test
    void anIdleConnectionIsClosedAtBothPortsAndAStreamOfEventsIsNot() throws IOException, InterruptedException {
        try (var events = EventClient.of(program.api(), "", Map.of())) {
            assertThat(events.status()).isEqualTo(200);
            try (var api = connect(program.apiPort());
                    var management = connect(program.managementPort())) {
                for (var socket : List.of(api, management)) {
                    send(socket, "GET /q/health/live HTTP/1.1\r\nHost: a\r\n\r\n");
                }
                for (var socket : List.of(api, management)) {
                    assertThat(rest(socket)).startsWith("HTTP/1.1 ");
                }
            }
            assertThat(events.hasEnded()).isFalse();
        }
    }

    @Test
    void moreConnectionsThanAllowedAreClosedAtOnceAndTheOtherPortIsNotConcerned()
            throws IOException, InterruptedException {
        var open = new ArrayList<Socket>();
        try {
            for (var n = 0; n < 2 * MOST; n++) {
                open.add(connect(program.apiPort()));
            }
            assertThat(rest(open.getLast())).isEmpty();
            assertThat(program.manage("/q/health/live").statusCode()).isEqualTo(200);
        } finally {
            for (var socket : open) {
                socket.close();
            }
        }
        assertThat(program.output()).contains("connections are refused, the last one from 127.0.0.1: 8 are open");
    }
}
