package io.taskexec.dispatch;

import java.net.IDN;
import java.net.URI;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where an HTTP call goes.
 *
 * @param host an ASCII name or a literal address, IPv6 without brackets
 * @param path with the query, percent-encoded
 */
record HttpTarget(boolean tls, String host, int port, String path) {
    /**
     * Host and port, taken apart here since {@link URI#getHost} knows neither underscores, which names inside a cluster
     * have, nor letters beyond ASCII.
     */
    private static final Pattern AUTHORITY =
            Pattern.compile("(?:\\[([0-9A-Fa-f:.]+)]|([^\\[\\]:@%]+))(?::(\\d{1,5}))?");

    private static final Pattern NAME = Pattern.compile("[0-9A-Za-z._-]+");
    private static final int MAX_PORT = 65_535;

    /**
     * Takes {@code uri} apart.
     *
     * @throws InvalidCallException when it is not an absolute http or https URL with a host and without user info
     */
    static HttpTarget of(URI uri) {
        var tls = isTls(uri.getScheme());
        var authority = uri.getRawAuthority();
        var matcher = AUTHORITY.matcher(authority == null ? "" : authority);
        if (!matcher.matches()) {
            throw new InvalidCallException("The URL needs a host, and may have a port, but no user name");
        }
        var literal = matcher.group(1);
        var host = literal != null ? literal : ascii(matcher.group(2));
        return new HttpTarget(tls, host, port(matcher.group(3), tls), path(uri));
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

    private static String ascii(String name) {
        try {
            var ascii = IDN.toASCII(name);
            if (NAME.matcher(ascii).matches()) {
                return ascii;
            }
        } catch (IllegalArgumentException _) {
            // Too long, or not a name: the same answer as for characters that no name has.
        }
        throw new InvalidCallException("The URL's host is not a valid name");
    }

    private static int port(@Nullable String digits, boolean tls) {
        if (digits == null) {
            return tls ? 443 : 80;
        }
        var port = Integer.parseInt(digits);
        if (port == 0 || port > MAX_PORT) {
            throw new InvalidCallException("The URL's port must be from 1 to " + MAX_PORT);
        }
        return port;
    }

    private static String path(URI uri) {
        var ascii = URI.create(uri.toASCIIString());
        var path = ascii.getRawPath().isEmpty() ? "/" : ascii.getRawPath();
        return ascii.getRawQuery() == null ? path : path + "?" + ascii.getRawQuery();
    }
}
