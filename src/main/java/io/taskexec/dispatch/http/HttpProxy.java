package io.taskexec.dispatch.http;

import io.vertx.core.net.ProxyOptions;
import io.vertx.core.net.ProxyType;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The proxy that calls go through, except some. Its address is the operator's choice, and not for the guard to judge.
 */
public final class HttpProxy {
    private static final Pattern USER_INFO = Pattern.compile("([^:@/]+):([^:@/]*)");
    private static final int MAX_PORT = 65_535;

    private final ProxyOptions options;
    private final ProxyExclusions exclusions;

    private HttpProxy(ProxyOptions options, ProxyExclusions exclusions) {
        this.options = options;
        this.exclusions = exclusions;
    }

    /**
     * The proxy that the configuration names.
     *
     * @throws IllegalArgumentException with a sentence for the operator, which never repeats the password
     */
    public static Optional<HttpProxy> of(HttpConfig config) {
        var exclusions = new ProxyExclusions(config.noProxy().orElse(List.of()));
        return config.proxy().map(url -> new HttpProxy(options(url), exclusions));
    }

    private static ProxyOptions options(String url) {
        var uri = parse(url);
        if (!"http".equalsIgnoreCase(uri.getScheme())
                || uri.getHost() == null
                || uri.getPort() < 1
                || uri.getPort() > MAX_PORT
                || !uri.getRawPath().matches("/?")
                || uri.getRawQuery() != null
                || uri.getRawFragment() != null) {
            throw malformed();
        }
        var options = new ProxyOptions()
                .setType(ProxyType.HTTP)
                .setHost(uri.getHost().replaceAll("[\\[\\]]", ""))
                .setPort(uri.getPort())
                .setConnectTimeout(Duration.ofMillis(HttpTransport.CONNECT_TIMEOUT_MS));
        return uri.getRawUserInfo() == null ? options : withUser(options, uri.getRawUserInfo());
    }

    private static ProxyOptions withUser(ProxyOptions options, String userInfo) {
        var parts = USER_INFO.matcher(userInfo);
        if (!parts.matches()) {
            throw malformed();
        }
        return options.setUsername(decoded(parts.group(1))).setPassword(decoded(parts.group(2)));
    }

    private static URI parse(String url) {
        try {
            return URI.create(url);
        } catch (IllegalArgumentException _) {
            // Its message would repeat the password.
            throw malformed();
        }
    }

    private static IllegalArgumentException malformed() {
        return new IllegalArgumentException("the proxy must be http://host:port or http://user:password@host:port,"
                + " with other characters percent-encoded");
    }

    /** A plus stands for itself outside a form. */
    private static String decoded(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    /** The way to {@code target}; null for the direct one. */
    @Nullable
    ProxyOptions wayTo(HttpTarget target) {
        return exclusions.contains(target.host()) ? null : options;
    }
}
