package io.taskexec.dispatch.http;

import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * The target of an HTTP call.
 *
 * @param host an ASCII name or a literal address, IPv6 without brackets
 * @param path with the query, percent-encoded
 */
public record HttpTarget(boolean tls, String host, int port, String path) {
    /**
     * Takes {@code uri} apart.
     *
     * @throws InvalidCallException when it is not an absolute http or https URL with a host and without user info
     */
    public static HttpTarget of(URI uri) {
        var tls = isTls(uri.getScheme());
        var authority = Authority.of(uri.getRawAuthority());
        return new HttpTarget(tls, authority.host(), authority.port(tls ? 443 : 80), path(uri));
    }

    /** The host as it stands in a URL or a Host header. */
    String hostInUrl() {
        return host.contains(":") ? "[" + host + "]" : host;
    }

    /** Host and port, for messages. */
    String authority() {
        return hostInUrl() + ":" + port;
    }

    private static boolean isTls(@Nullable String scheme) {
        if ("https".equalsIgnoreCase(scheme)) {
            return true;
        }
        if ("http".equalsIgnoreCase(scheme)) {
            return false;
        }
        throw new InvalidCallException("The URL must begin with http:// or https://");
    }

    private static String path(URI uri) {
        // Only what has letters beyond ASCII is worth another parse.
        var ascii = isAscii(uri) ? uri : URI.create(uri.toASCIIString());
        var path = ascii.getRawPath().isEmpty() ? "/" : ascii.getRawPath();
        return ascii.getRawQuery() == null ? path : path + "?" + ascii.getRawQuery();
    }

    private static boolean isAscii(URI uri) {
        var text = uri.toString();
        for (var i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= 0x80) {
                return false;
            }
        }
        return true;
    }
}
