package io.taskexec.model.delivery;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The target of a connection.
 *
 * @param host an ASCII name or a literal address, IPv6 without brackets
 */
public record HostAndPort(String host, int port) {
    private static final String HOST = "(?:\\[([0-9A-Fa-f:.]+)]|([0-9A-Za-z._-]+))";
    private static final String PORT = "(?::(\\d{1,5}))";
    private static final Pattern PAIR = Pattern.compile(HOST + PORT);
    private static final Pattern REDIS_URL =
            Pattern.compile("rediss?://(?:[^:@/?#\\s]*+:[^@/?#\\s]*+@)?" + HOST + PORT + "?(?:/\\d{0,5})?");
    private static final String REDIS_PORT = "6379";
    private static final int MAX_PORT = 65_535;

    /** Reads pairs {@code host:port} that commas separate; null when {@code text} is anything else. */
    public static @Nullable List<HostAndPort> ofList(String text) {
        var pairs = new ArrayList<HostAndPort>();
        for (var part : text.split(",", -1)) {
            var pair = of(PAIR, part.strip(), "");
            if (pair == null) {
                return null;
            }
            pairs.add(pair);
        }
        return pairs;
    }

    /**
     * Reads {@code redis://host:6379/0}, also with {@code rediss}, {@code user:password@} and neither port nor
     * database; null when {@code url} is anything else.
     */
    public static @Nullable HostAndPort ofRedisUrl(String url) {
        return of(REDIS_URL, url, REDIS_PORT);
    }

    private static @Nullable HostAndPort of(Pattern form, String text, String defaultPort) {
        var matcher = form.matcher(text);
        if (!matcher.matches()) {
            return null;
        }
        var digits = matcher.group(3) == null ? defaultPort : matcher.group(3);
        var port = Integer.parseInt(digits);
        var host = matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
        return port == 0 || port > MAX_PORT ? null : new HostAndPort(host, port);
    }
}
