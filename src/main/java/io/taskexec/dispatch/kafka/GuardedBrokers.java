package io.taskexec.dispatch.kafka;

import io.taskexec.dispatch.egress.EgressBlockedException;
import io.taskexec.dispatch.egress.EgressGuard;
import io.taskexec.model.delivery.HostAndPort;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.HostResolver;
import org.jspecify.annotations.Nullable;

/**
 * Says which address a broker has, after the egress guard has admitted it. Kafka's client asks for each connection that
 * it makes, to the servers that it begins with and to those that the cluster then names, for literal addresses too, and
 * connects to nothing else.
 */
final class GuardedBrokers implements HostResolver {
    private static final Duration LONGEST_LOOKUP = Duration.ofSeconds(5);

    /** Of hosts whose refusals are remembered; no cluster of good will has as many. */
    private static final int MOST_REFUSALS = 1_000;

    private final EgressGuard guard;
    private final Runnable whenRefused;
    private final Map<String, String> refusals = new ConcurrentHashMap<>();

    /** @param whenRefused told, on the thread that connects, that there is a refusal to look at */
    GuardedBrokers(EgressGuard guard, Runnable whenRefused) {
        this.guard = guard;
        this.whenRefused = whenRefused;
    }

    @Override
    public InetAddress[] resolve(String host) throws UnknownHostException {
        try {
            return new InetAddress[] {admit(host)};
        } catch (EgressBlockedException e) {
            note(host, String.valueOf(e.getMessage()));
            whenRefused.run();
            // What the client takes for a failure to connect, which it is.
            throw new UnknownHostException(e.getMessage());
        }
    }

    /** All of {@code servers} must be allowed, and one of them known: to be told at once is better than to time out. */
    void admitAll(Collection<HostAndPort> servers) throws UnknownHostException {
        UnknownHostException unknown = null;
        var known = 0;
        for (var server : servers) {
            try {
                var _ = admit(server.host());
                known++;
            } catch (UnknownHostException e) {
                unknown = e;
            }
        }
        if (known == 0 && unknown != null) {
            throw unknown;
        }
    }

    private void note(String host, String refusal) {
        if (refusals.size() >= MOST_REFUSALS) {
            refusals.clear();
        }
        refusals.put(host, refusal);
    }

    /**
     * An address of {@code host} that may be called; throws {@link EgressBlockedException} when none may. Blocks, but
     * not for long.
     */
    InetAddress admit(String host) throws UnknownHostException {
        try {
            var address = guard.check(host).await().atMost(LONGEST_LOOKUP);
            refusals.remove(host);
            // Under the name that was asked for, which is what a certificate must be for.
            return InetAddress.getByAddress(host, address.getAddress());
        } catch (EgressBlockedException e) {
            throw e;
        } catch (RuntimeException e) {
            var unknown = new UnknownHostException("Unknown host " + host);
            unknown.initCause(e);
            throw unknown;
        }
    }

    /** Why none of these hosts may be called; null when one may, or none has been asked for. */
    @Nullable
    String refusalOfAll(Collection<String> hosts) {
        var known = hosts.stream().map(refusals::get).toList();
        return known.isEmpty() || !known.stream().allMatch(Objects::nonNull) ? null : known.getFirst();
    }
}
