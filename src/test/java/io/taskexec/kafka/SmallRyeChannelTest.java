package io.taskexec.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.smallrye.config.inject.ConfigExtension;
import io.smallrye.mutiny.Uni;
import io.smallrye.reactive.messaging.kafka.KafkaCDIEvents;
import io.smallrye.reactive.messaging.kafka.KafkaConnector;
import io.smallrye.reactive.messaging.kafka.KafkaRecordBatch;
import io.smallrye.reactive.messaging.kafka.commit.KafkaLatestCommit;
import io.smallrye.reactive.messaging.kafka.fault.KafkaFailStop;
import io.smallrye.reactive.messaging.providers.MediatorFactory;
import io.smallrye.reactive.messaging.providers.connectors.ExecutionHolder;
import io.smallrye.reactive.messaging.providers.connectors.WorkerPoolRegistry;
import io.smallrye.reactive.messaging.providers.extension.ChannelProducer;
import io.smallrye.reactive.messaging.providers.extension.HealthCenter;
import io.smallrye.reactive.messaging.providers.extension.MediatorManager;
import io.smallrye.reactive.messaging.providers.extension.ReactiveMessagingExtension;
import io.smallrye.reactive.messaging.providers.impl.ConfiguredChannelFactory;
import io.smallrye.reactive.messaging.providers.impl.ConnectorFactories;
import io.smallrye.reactive.messaging.providers.impl.InternalChannelRegistry;
import io.smallrye.reactive.messaging.providers.wiring.Wiring;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.KafkaBroker;
import io.taskexec.testing.TestCertificates;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.eclipse.microprofile.config.spi.ConfigProviderResolver;
import org.eclipse.microprofile.reactive.messaging.Incoming;
import org.jboss.weld.environment.se.Weld;
import org.jboss.weld.environment.se.WeldContainer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Shows what a channel of SmallRye Reactive Messaging cannot do, which is why {@link InboundJobs} has a client of its
 * own (docs/adr/0011).
 */
class SmallRyeChannelTest {
    private static final Duration BOUND = Duration.ofSeconds(60);
    private static final List<String> READ = new CopyOnWriteArrayList<>();
    private static final AtomicInteger TRIES = new AtomicInteger();
    private static int topics;

    private final KafkaBroker broker = KafkaBroker.shared();
    private final ClassLoader usual = Thread.currentThread().getContextClassLoader();

    @TempDir
    private Path directory;

    private URLClassLoader loader;
    private String topic;

    /** Reads the channel as an application does. */
    @ApplicationScoped
    static class Inbound {
        @Incoming("jobs")
        Uni<Void> store(KafkaRecordBatch<byte[], byte[]> batch) {
            batch.getPayload().forEach(value -> READ.add(new String(value, StandardCharsets.UTF_8)));
            return Uni.createFrom().completionStage(batch.ack());
        }
    }

    /** Counts the clients that somebody tried to make; Kafka makes it before it looks at certificates. */
    public static final class Tries implements ConsumerInterceptor<byte[], byte[]> {
        @Override
        public void configure(Map<String, ?> configs) {
            TRIES.incrementAndGet();
        }

        @Override
        public ConsumerRecords<byte[], byte[]> onConsume(ConsumerRecords<byte[], byte[]> records) {
            return records;
        }

        @Override
        public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {
            // Nothing depends on it.
        }

        @Override
        public void close() {
            // There is nothing to close.
        }
    }

    @BeforeEach
    void sendOne() {
        READ.clear();
        TRIES.set(0);
        loader = new URLClassLoader(new URL[0], usual);
        topic = broker.topic("smallrye-" + topics++, 1, Map.of());
        try (var sender = new KafkaClients(Map::of).sender(broker.bootstrap())) {
            RecordSender.await(sender.send(new ProducerRecord<>(topic, "one".getBytes(StandardCharsets.UTF_8))));
        }
    }

    @AfterEach
    void restoreLoader() throws IOException {
        Thread.currentThread().setContextClassLoader(usual);
        loader.close();
    }

    /** What the broker asks for; the certificates may be missing. */
    private Map<String, String> security() {
        return Map.of(
                "security.protocol", "SASL_SSL",
                "sasl.mechanism", "SCRAM-SHA-256",
                "sasl.jaas.config", KafkaBroker.scramLogin(),
                "ssl.truststore.type", "PEM",
                "ssl.truststore.location", certificates().toString());
    }

    private Path certificates() {
        return directory.resolve("ca.pem");
    }

    /** A program with such a channel, set so that it tries again as long and as often as it can. */
    private WeldContainer start() {
        var channel = new HashMap<>(security());
        channel.put("connector", KafkaConnector.CONNECTOR_NAME);
        channel.put("bootstrap.servers", broker.secureBootstrap());
        channel.put("topic", topic);
        channel.put("group.id", topic);
        channel.put("auto.offset.reset", "earliest");
        channel.put("key.deserializer", ByteArrayDeserializer.class.getName());
        channel.put("value.deserializer", ByteArrayDeserializer.class.getName());
        channel.put("interceptor.classes", Tries.class.getName());
        channel.put("batch", "true");
        channel.put("commit-strategy", "latest");
        channel.put("lazy-client", "true");
        channel.put("retry", "true");
        channel.put("retry-attempts", "-1");
        channel.put("retry-max-wait", "1");
        channel.put("tracing-enabled", "false");
        channel.put("graceful-shutdown", "false");
        var settings = channel.entrySet().stream()
                .collect(Collectors.toMap(each -> "mp.messaging.incoming.jobs." + each.getKey(), Map.Entry::getValue));
        Thread.currentThread().setContextClassLoader(loader);
        ConfigProviderResolver.instance()
                .registerConfig(
                        new SmallRyeConfigBuilder()
                                .withSources(new PropertiesConfigSource(settings, "the channel", 500))
                                .build(),
                        loader);
        return new Weld()
                .disableDiscovery()
                .addExtension(new ConfigExtension())
                .addExtension(new ReactiveMessagingExtension())
                .addBeanClasses(
                        ChannelProducer.class,
                        ConfiguredChannelFactory.class,
                        ConnectorFactories.class,
                        ExecutionHolder.class,
                        HealthCenter.class,
                        Inbound.class,
                        InternalChannelRegistry.class,
                        KafkaCDIEvents.class,
                        KafkaConnector.class,
                        KafkaFailStop.Factory.class,
                        KafkaLatestCommit.Factory.class,
                        MediatorFactory.class,
                        MediatorManager.class,
                        Wiring.class,
                        WorkerPoolRegistry.class)
                .initialize();
    }

    @Test
    void aChannelReadsWhenItsClientCanBeMadeAtTheStart() throws IOException, InterruptedException {
        Files.writeString(certificates(), TestCertificates.authority());

        try (var _ = start()) {
            Eventually.await("the record is read", BOUND, () -> READ.equals(List.of("one")));
        }
        assertThat(TRIES).hasValue(1);
    }

    /** The same happens where the names of brokers cannot be resolved at the start. */
    @Test
    void aChannelIsDeadForEverWhenItsClientCannotBeMadeAtTheStart() throws IOException, InterruptedException {
        try (var program = start()) {
            var health = program.select(HealthCenter.class).get();
            Eventually.await(
                    "the channel has failed", BOUND, () -> !health.getLiveness().isOk());

            Files.writeString(certificates(), TestCertificates.authority());

            var clients = new KafkaClients(() -> Map.copyOf(security()));
            try (var consumer = clients.consumer(broker.secureBootstrap(), topic + "-ours")) {
                consumer.subscribe(List.of(topic));
                Eventually.await(
                        "a new client reads",
                        BOUND,
                        () -> !consumer.poll(Duration.ofSeconds(1)).isEmpty());
            }
            assertThat(READ).isEmpty();
            assertThat(TRIES).hasValue(1);
        }
    }
}
