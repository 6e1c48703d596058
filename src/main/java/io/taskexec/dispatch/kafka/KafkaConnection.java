package io.taskexec.dispatch.kafka;

import io.quarkus.runtime.annotations.RegisterForReflection;
import io.taskexec.dispatch.egress.EgressBlockedException;
import io.taskexec.dispatch.egress.EgressGuard;
import java.lang.reflect.InvocationTargetException;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.apache.kafka.clients.ApiVersions;
import org.apache.kafka.clients.ClientUtils;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.KafkaClient;
import org.apache.kafka.clients.MetadataRecoveryStrategy;
import org.apache.kafka.clients.NetworkClient;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.internals.ProducerInterceptors;
import org.apache.kafka.clients.producer.internals.ProducerMetadata;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.network.Selector;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Time;
import org.jspecify.annotations.Nullable;

/**
 * A producer of Kafka's client that connects to no address but those that {@link GuardedBrokers} returns. It does all
 * the client's own constructor does, but with a resolver of addresses that is not the client's: there is no public way
 * to hand one over, so the constructor that takes one is called by reflection.
 */
@RegisterForReflection(targets = KafkaProducer.class, methods = false, fields = false)
final class KafkaConnection {
    /**
     * Of one answer, which is allocated before it arrives. What is no broker seems to announce hundreds of megabytes,
     * which would end the process. The longest answers name partitions, and this is enough for 200,000.
     */
    private static final int MAX_ANSWER_BYTES = 16 << 20;

    private final KafkaProducer<byte[], byte[]> producer;
    private final ProducerMetadata metadata;
    private final GuardedBrokers brokers;
    private final Set<KafkaExchange> users;

    private KafkaConnection(
            KafkaProducer<byte[], byte[]> producer,
            ProducerMetadata metadata,
            GuardedBrokers brokers,
            Set<KafkaExchange> users) {
        this.producer = producer;
        this.metadata = metadata;
        this.brokers = brokers;
        this.users = users;
    }

    /**
     * Makes a producer, which connects by and by. Blocks while names are looked up and keys are read; throws {@link
     * EgressBlockedException}, and what Kafka throws of settings that it cannot use.
     */
    static KafkaConnection open(KafkaTarget target, String name, EgressGuard guard) throws UnknownHostException {
        var users = ConcurrentHashMap.<KafkaExchange>newKeySet();
        var brokers = new GuardedBrokers(guard, () -> users.forEach(KafkaExchange::endIfRefused));
        brokers.admitAll(target.servers());
        var config = new ProducerConfig(KafkaSettings.of(target, name));
        var log = new LogContext("[" + name + "] ");
        var metadata = new ExistingTopics(
                config.getLong(ProducerConfig.RETRY_BACKOFF_MS_CONFIG),
                config.getLong(ProducerConfig.RETRY_BACKOFF_MAX_MS_CONFIG),
                config.getLong(ProducerConfig.METADATA_MAX_AGE_CONFIG),
                config.getLong(ProducerConfig.METADATA_MAX_IDLE_CONFIG),
                log,
                Time.SYSTEM);
        // Not looked up here: the resolver is asked when they are connected to, now and after all brokers were lost.
        metadata.bootstrap(target.servers().stream()
                .map(server -> InetSocketAddress.createUnresolved(server.host(), server.port()))
                .toList());
        var versions = new ApiVersions();
        var client = client(config, log, metadata, versions, brokers);
        try {
            return new KafkaConnection(producer(config, metadata, client, versions), metadata, brokers, users);
        } catch (RuntimeException e) {
            client.close();
            throw e;
        }
    }

    /** As {@link ClientUtils} makes it, but with a bound for answers, which it does not offer. */
    private static NetworkClient client(
            ProducerConfig config,
            LogContext log,
            ProducerMetadata metadata,
            ApiVersions versions,
            GuardedBrokers brokers) {
        var selector = new Selector(
                MAX_ANSWER_BYTES,
                config.getLong(ProducerConfig.CONNECTIONS_MAX_IDLE_MS_CONFIG),
                new Metrics(),
                Time.SYSTEM,
                "producer",
                Map.of(),
                true,
                ClientUtils.createChannelBuilder(config, Time.SYSTEM, log),
                log);
        return new NetworkClient(
                null,
                metadata,
                selector,
                config.getString(ProducerConfig.CLIENT_ID_CONFIG),
                config.getInt(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION),
                config.getLong(ProducerConfig.RECONNECT_BACKOFF_MS_CONFIG),
                config.getLong(ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG),
                config.getInt(ProducerConfig.SEND_BUFFER_CONFIG),
                config.getInt(ProducerConfig.RECEIVE_BUFFER_CONFIG),
                config.getInt(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG),
                config.getLong(ProducerConfig.SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG),
                config.getLong(ProducerConfig.SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS_CONFIG),
                Time.SYSTEM,
                true,
                versions,
                null,
                log,
                brokers,
                null,
                config.getLong(CommonClientConfigs.METADATA_RECOVERY_REBOOTSTRAP_TRIGGER_MS_CONFIG),
                MetadataRecoveryStrategy.forName(
                        config.getString(CommonClientConfigs.METADATA_RECOVERY_STRATEGY_CONFIG)));
    }

    @SuppressWarnings("unchecked") // a class literal has no parameters
    private static KafkaProducer<byte[], byte[]> producer(
            ProducerConfig config, ProducerMetadata metadata, KafkaClient client, ApiVersions versions) {
        try {
            var constructor = KafkaProducer.class.getDeclaredConstructor(
                    ProducerConfig.class,
                    Serializer.class,
                    Serializer.class,
                    ProducerMetadata.class,
                    KafkaClient.class,
                    ProducerInterceptors.class,
                    ApiVersions.class,
                    Time.class);
            constructor.setAccessible(true);
            return constructor.newInstance(
                    config,
                    new ByteArraySerializer(),
                    new ByteArraySerializer(),
                    metadata,
                    client,
                    null,
                    versions,
                    Time.SYSTEM);
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("kafka-clients is not of the version that this was written for", e);
        }
    }

    /** From now on {@code user} is told when an address of the cluster is refused. */
    void add(KafkaExchange user) {
        var _ = users.add(user);
    }

    void remove(KafkaExchange user) {
        var _ = users.remove(user);
    }

    /**
     * Blocks until the topic's partitions are known and there is room; what becomes of it is told to
     * {@code callback}.
     */
    void send(ProducerRecord<byte[], byte[]> record, Callback callback) {
        var _ = producer.send(record, callback);
    }

    /** Why nothing reaches {@code topic}: all brokers that have parts of it may not be called. Null when one may. */
    @Nullable
    String refusal(String topic) {
        var cluster = metadata.fetch();
        var partitions = cluster.partitionsForTopic(topic);
        Stream<Node> brokersOfTopic = partitions.isEmpty()
                ? cluster.nodes().stream()
                : partitions.stream().map(PartitionInfo::leader);
        return brokers.refusalOfAll(
                brokersOfTopic.filter(Objects::nonNull).map(Node::host).toList());
    }

    /** Whether the cluster has said that there is no such topic. */
    boolean isUnknown(String topic) {
        return metadata.getError(topic) == Errors.UNKNOWN_TOPIC_OR_PARTITION;
    }

    /** Closes it at once. What it has not sent is given up. */
    void close() {
        producer.close(Duration.ZERO);
    }
}
