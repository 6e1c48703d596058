package io.taskexec.dispatch.kafka;

import io.taskexec.dispatch.http.InvalidCallException;
import io.taskexec.model.delivery.HostAndPort;
import io.taskexec.model.delivery.KafkaMessage;
import io.taskexec.model.endpoint.KafkaSecurity;
import io.taskexec.model.endpoint.KafkaSpec;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A cluster and the settings with which it is sent messages. Messages with the same target share a producer.
 *
 * @param servers those to begin with, in one order however they were given
 * @param patience after which Kafka's client gives a message up; one of a few, since a producer has only one
 */
record KafkaTarget(
        List<HostAndPort> servers, String acks, @Nullable KafkaSecurity security, Duration patience) {
    private static final List<Duration> PATIENCE = List.of(1, 3, 10, 30, 120, 600, 3_600).stream()
            .map(Duration::ofSeconds)
            .toList();

    /**
     * The target of {@code message}.
     *
     * @throws InvalidCallException when its servers cannot be read
     */
    static KafkaTarget of(KafkaMessage message) {
        return new KafkaTarget(
                servers(message.bootstrapServers()), message.acks(), message.security(), patience(message.timeout()));
    }

    /** The servers, for messages. */
    String cluster() {
        var first = show(servers.getFirst());
        return servers.size() == 1 ? first : first + " and " + (servers.size() - 1) + " more";
    }

    private static String show(HostAndPort server) {
        var host = server.host().contains(":") ? "[" + server.host() + "]" : server.host();
        return host + ":" + server.port();
    }

    private static List<HostAndPort> servers(String text) {
        var servers = HostAndPort.ofList(text);
        if (servers == null || servers.size() > KafkaSpec.MAX_SERVERS) {
            throw new InvalidCallException("The bootstrap servers must be 1 to " + KafkaSpec.MAX_SERVERS
                    + " times host:port, separated by commas");
        }
        return servers.stream()
                .map(server -> new HostAndPort(server.host().toLowerCase(Locale.ROOT), server.port()))
                .distinct()
                .sorted(Comparator.comparing(HostAndPort::host).thenComparingInt(HostAndPort::port))
                .toList();
    }

    /** Never shorter than the message's own time, which a timer of ours ends exactly. */
    private static Duration patience(Duration timeout) {
        return PATIENCE.stream()
                .filter(each -> each.compareTo(timeout) >= 0)
                .findFirst()
                .orElse(PATIENCE.getLast());
    }
}
