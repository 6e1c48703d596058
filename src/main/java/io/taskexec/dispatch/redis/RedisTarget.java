package io.taskexec.dispatch.redis;

import io.taskexec.dispatch.http.InvalidCallException;
import io.taskexec.model.delivery.HostAndPort;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A server of Redis and the user who logs in. Deliveries with the same target share a connection.
 *
 * @param user null for the default user
 * @param password null when it is empty, which that of a user may be
 */
record RedisTarget(
        boolean tls,
        String host,
        int port,
        @Nullable String user,
        @Nullable String password,
        int database) {
    private static final String SECURE = "rediss://";

    /**
     * Reads {@code redis[s]://[[user]:password@]host[:port][/database]}, user and password percent-encoded.
     *
     * @throws InvalidCallException when {@code url} is anything else; the message does not repeat it
     */
    static RedisTarget of(String url) {
        var server = HostAndPort.ofRedisUrl(url);
        if (server == null) {
            throw new InvalidCallException(
                    "redis_url resolves to something else than redis[s]://[[user]:password@]host[:port][/database]");
        }
        var rest = url.substring(url.indexOf("://") + "://".length());
        var at = rest.indexOf('@');
        var path = rest.indexOf('/', at + 1);
        var database = path < 0 ? "" : rest.substring(path + 1);
        var login = at < 0 ? new String[] {"", ""} : rest.substring(0, at).split(":", 2);
        return new RedisTarget(
                url.startsWith(SECURE),
                server.host(),
                server.port(),
                decoded(login[0]),
                decoded(login[1]),
                database.isEmpty() ? 0 : Integer.parseInt(database));
    }

    /** Another node of the same cluster. */
    RedisTarget at(HostAndPort node) {
        return new RedisTarget(tls, node.host(), node.port(), user, password, database);
    }

    /** Host and port, as in a URL. */
    String authority() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }

    private static @Nullable String decoded(String text) {
        try {
            // The JDK decodes what HTML forms encode, where a plus is a space.
            return text.isEmpty() ? null : URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException _) {
            throw new InvalidCallException("The user or the password in redis_url is not percent-encoded");
        }
    }

    /** Without the password, so that it gets into no log. */
    @Override
    public String toString() {
        return authority();
    }
}
