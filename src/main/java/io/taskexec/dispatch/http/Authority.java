package io.taskexec.dispatch.http;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.net.IDN;
import java.net.URI;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Host and port of a URL, taken apart here since {@link URI#getHost} knows neither underscores, which names inside a
 * cluster have, nor letters beyond ASCII.
 *
 * @param host an ASCII name or a literal address, IPv6 without brackets
 * @param given the port, null for that of the scheme
 */
record Authority(String host, @Nullable Integer given) {
    private static final Pattern FORM = Pattern.compile("(?:\\[([0-9A-Fa-f:.]+)]|([^\\[\\]:@%]+))(?::(\\d{1,5}))?");
    private static final Pattern NAME = Pattern.compile("[0-9A-Za-z._-]+");
    private static final int MAX_PORT = 65_535;

    /** Receivers are few and called often, and a name takes longer to check than its call to begin. */
    private static final Cache<String, Authority> KNOWN =
            Caffeine.newBuilder().maximumSize(1_000).build();

    /**
     * Takes it apart.
     *
     * @throws InvalidCallException when it is no host and port, or has user info
     */
    static Authority of(@Nullable String text) {
        return KNOWN.get(text == null ? "" : text, Authority::parse);
    }

    int port(int usual) {
        return given == null ? usual : given;
    }

    private static Authority parse(String text) {
        var matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new InvalidCallException("The URL needs a host, and may have a port, but no user name");
        }
        var literal = matcher.group(1);
        return new Authority(literal != null ? literal : ascii(matcher.group(2)), port(matcher.group(3)));
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

    private static @Nullable Integer port(@Nullable String digits) {
        if (digits == null) {
            return null;
        }
        var port = Integer.parseInt(digits);
        if (port == 0 || port > MAX_PORT) {
            throw new InvalidCallException("The URL's port must be from 1 to " + MAX_PORT);
        }
        return port;
    }
}
