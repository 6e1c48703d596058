package io.taskexec.kafka;

import io.smallrye.common.annotation.Identifier;
import jakarta.inject.Provider;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Makes clients of Kafka. What is set as {@code KAFKA_*} or {@code kafka.*}, such as the security of connections,
 * applies to all of them, except where it would break a promise.
 */
@Singleton
class KafkaClients {
    /** The longest time until a broker acknowledges a record. */
    static final Duration DELIVERY = Duration.ofSeconds(10);

    private static final int DELIVERY_MS = (int) DELIVERY.toMillis();

    private final Provider<Map<String, Object>> common;

    /** @param common made of the settings by Quarkus, which takes time that is only spent where there is a topic */
    KafkaClients(@Identifier("default-kafka-broker") Provider<Map<String, Object>> common) {
        this.common = common;
    }

    /** One that sends in order, each record once for each call. */
    RecordSender sender(String bootstrapServers) {
        return new RecordSender(() -> producer(bootstrapServers));
    }

    private Producer<byte[], byte[]> producer(String bootstrapServers) {
        var config = config(bootstrapServers);
        config.remove(ConsumerConfig.GROUP_ID_CONFIG);
        config.remove(ProducerConfig.TRANSACTIONAL_ID_CONFIG);
        // What has the same key is in order only where it goes to the same partition.
        config.keySet().removeIf(name -> name.startsWith("partitioner."));
        config.put(ProducerConfig.ACKS_CONFIG, "all");
        config.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        config.put(ProducerConfig.LINGER_MS_CONFIG, 0);
        config.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, DELIVERY_MS / 2);
        config.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, DELIVERY_MS);
        config.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, DELIVERY_MS / 2);
        return new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** One that commits when it is told to. */
    Consumer<byte[], byte[]> consumer(String bootstrapServers, String group) {
        var config = config(bootstrapServers);
        config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        config.putIfAbsent(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        config.put(ConsumerConfig.GROUP_ID_CONFIG, group);
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        config.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        return new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    private Map<String, Object> config(String bootstrapServers) {
        var config = new HashMap<>(common.get());
        config.put("bootstrap.servers", bootstrapServers);
        return config;
    }
}
