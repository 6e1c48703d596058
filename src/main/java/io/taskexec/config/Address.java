package io.taskexec.config;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** A {@code host:port} to listen on. */
public record Address(String host, int port) {
    private static final int MAX_PORT = 65_535;

    /**
     * Reads {@code host:port}.
     *
     * @param setting names the setting in the message when {@code text} is no address
     */
    public static Address parse(String setting, String text) {
        var colon = text.lastIndexOf(':');
        try {
            var port = Integer.parseInt(text.substring(colon + 1));
            if (colon > 0 && port >= 0 && port <= MAX_PORT) {
                return new Address(text.substring(0, colon).replaceAll("^\\[|]$", ""), port);
            }
        } catch (NumberFormatException _) {
            // The message below says it.
        }
        throw new StartRefusedException(
                "%s must be host:port, such as 0.0.0.0:8080, but is '%s'.".formatted(setting, text));
    }

    /**
     * Throws when the address cannot be listened on, which is clearer now than after half of the program has started.
     */
    public void checkFree() {
        try (var _ = open()) {
            // It can be opened.
        } catch (BindException e) {
            throw refusal(e);
        } catch (IOException e) {
            throw new StartRefusedException("Port %d on %s cannot be opened: %s".formatted(port, host, e.getMessage()));
        }
    }

    private StartRefusedException refusal(BindException failure) {
        var reason = String.valueOf(failure.getMessage());
        return new StartRefusedException(
                reason.startsWith("Address already in use")
                        ? "Port %d on %s is in use by another program.".formatted(port, host)
                        : "Port %d on %s cannot be opened: %s".formatted(port, host, reason));
    }

    private ServerSocket open() throws IOException {
        return new ServerSocket(port, 1, InetAddress.getByName(host));
    }

    public static int anyFreePort() {
        try (var probe = new ServerSocket(0)) {
            return probe.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException("this machine has no free port", e);
        }
    }

    public boolean isFree() {
        try (var probe = open()) {
            return probe.isBound();
        } catch (IOException _) {
            return false;
        }
    }
}
