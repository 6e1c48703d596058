package io.taskexec.model.delivery;

import io.taskexec.model.endpoint.KafkaSecurity;
import io.taskexec.model.endpoint.KafkaSpec;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A Kafka record with nothing left to resolve.
 *
 * @param bootstrapServers {@code host:port}, several separated by commas
 * @param key null for a record without a key
 * @param value JSON text, or null for a record without a value
 * @param headers in the order they are sent
 * @param acks one of {@link KafkaSpec#ACKS}
 * @param security null for a cluster that is connected to as it is
 * @param timeout bound on the whole delivery
 */
public record KafkaMessage(
        String bootstrapServers,
        String topic,
        @Nullable String key,
        @Nullable String value,
        Map<String, String> headers,
        String acks,
        @Nullable KafkaSecurity security,
        Duration timeout)
        implements DispatchRequest {
    @Override
    public KafkaMessage withTimeout(Duration other) {
        return new KafkaMessage(bootstrapServers, topic, key, value, headers, acks, security, other);
    }
}
