package io.taskexec.dispatch.kafka;

import io.taskexec.dispatch.egress.EgressBlockedException;
import io.taskexec.dispatch.egress.EgressGuard;
import java.net.UnknownHostException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The producer of all deliveries to one target. The first of them makes it; who it belongs to, and when it is closed, is
 * for {@link KafkaProducers} to say.
 */
final class SharedProducer {
    private final KafkaTarget target;
    private final String name;
    private final GuardedBrokers brokers;
    private final Set<KafkaExchange> users = ConcurrentHashMap.newKeySet();
    private volatile @Nullable KafkaConnection connection;
    private volatile long usedAt;
    private boolean closed;

    SharedProducer(KafkaTarget target, String name, EgressGuard guard) {
        this.target = target;
        this.name = name;
        this.brokers = new GuardedBrokers(guard, () -> users.forEach(KafkaExchange::endIfRefused));
    }

    KafkaTarget target() {
        return target;
    }

    void add(KafkaExchange user) {
        users.add(user);
    }

    /** @param now as {@link System#nanoTime} gives it */
    void remove(KafkaExchange user, long now) {
        users.remove(user);
        usedAt = now;
    }

    /** Whether nobody uses it, and nobody has since {@code then}. */
    boolean isIdleSince(long then) {
        return users.isEmpty() && usedAt - then <= 0;
    }

    boolean isUsed() {
        return !users.isEmpty();
    }

    /**
     * The connection, made now if there is none. Blocks while names are looked up and keys are read; throws
     * {@link EgressBlockedException}, and what Kafka throws of settings that it cannot use.
     */
    synchronized KafkaConnection open() throws UnknownHostException {
        if (closed) {
            // Of a delivery that is over: a connection that it made now would be nobody's.
            throw new IllegalStateException("closed");
        }
        var open = connection;
        if (open == null) {
            admitServers();
            open = KafkaConnection.open(target, name, brokers);
            connection = open;
        }
        return open;
    }

    /** All of them must be allowed, and one of them known: to be told at once is better than to time out. */
    private void admitServers() throws UnknownHostException {
        UnknownHostException unknown = null;
        var known = 0;
        for (var server : target.servers()) {
            try {
                var _ = brokers.admit(server.host());
                known++;
            } catch (UnknownHostException e) {
                unknown = e;
            }
        }
        if (known == 0 && unknown != null) {
            throw unknown;
        }
    }

    /** The connection; null when there is none yet. */
    @Nullable
    KafkaConnection connection() {
        return connection;
    }

    /** Closes the connection; nobody uses it any more. May block. */
    synchronized void close() {
        closed = true;
        var open = connection;
        if (open != null) {
            open.close();
        }
    }
}
