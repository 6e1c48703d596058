package io.taskexec.dispatch.redis;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.taskexec.model.delivery.HostAndPort;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Remembers from redirections which nodes of clusters have which streams. */
final class StreamNodes {
    private static final int MOST = 10_000;

    /** {@code MOVED <slot> <host>:<port>}; the host may be an IPv6 address without brackets, or left out. */
    private static final Pattern MOVED = Pattern.compile("MOVED \\d+ (\\S{0,255}):(\\d{1,5})");

    private final Cache<Place, RedisTarget> nodes =
            Caffeine.newBuilder().maximumSize(MOST).build();

    private record Place(RedisTarget target, String stream) {}

    /** The node to ask for {@code stream} of {@code target} first: the target itself when no other is known. */
    RedisTarget find(RedisTarget target, String stream) {
        return Objects.requireNonNullElse(nodes.getIfPresent(new Place(target, stream)), target);
    }

    /**
     * The node that {@code redirection}, which {@code asked} answered, tells to ask; null when it is no redirection, or
     * to what can be no node. From now on it is found first.
     */
    @Nullable
    RedisTarget learn(RedisTarget target, String stream, RedisTarget asked, String redirection) {
        var moved = MOVED.matcher(redirection);
        if (!moved.matches()) {
            return null;
        }
        var host = moved.group(1).isEmpty() ? asked.host() : moved.group(1);
        var place = new HostAndPort(host, Integer.parseInt(moved.group(2)));
        var node = target.at(place);
        if (!List.of(place).equals(HostAndPort.ofList(node.authority()))) {
            return null;
        }
        nodes.put(new Place(target, stream), node);
        return node;
    }

    /** Looks at the target itself again. */
    void forget(RedisTarget target, String stream) {
        nodes.invalidate(new Place(target, stream));
    }
}
