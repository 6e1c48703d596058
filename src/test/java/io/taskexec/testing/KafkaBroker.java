package io.taskexec.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.logging.Level;
import java.util.logging.Logger;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.utils.Time;
import org.jspecify.annotations.Nullable;

/**
 * A Kafka broker within this JVM, one for all test classes. It makes no topics by itself. By TLS it is what
 * {@link TestCertificates} says, and trusts whom these vouch for.
 */
public final class KafkaBroker {
    /** A user of the listeners with SASL; its password has what JAAS and properties have a meaning for. */
    public static final String USER = "alice \"the\" \\ first";

    /** Of that user with the mechanism PLAIN. */
    public static final String PASSWORD = "pass\"word\\;=# '${x}'";

    /** A user with the mechanisms SCRAM. */
    public static final String SCRAM_USER = "bob";

    /** Of that user. */
    public static final String SCRAM_PASSWORD = "correct-horse";

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** Kept, since a logger that nobody holds forgets its level. */
    private static final List<Logger> QUIET = new ArrayList<>();

    private static @Nullable KafkaBroker shared;

    private final Path directory;
    private final int controller = Program.freePort();
    private final int plain = Program.freePort();
    private final int named = Program.freePort();
    private final int secure = Program.freePort();
    private final int mutual = Program.freePort();
    private final int astray = Program.freePort();
    private KafkaRaftServer server;

    private KafkaBroker() throws IOException {
        quiet();
        directory = Files.createTempDirectory("taskexec-kafka");
        format();
        start();
        Runtime.getRuntime().addShutdownHook(new Thread(this::remove));
    }

    /** The broker, started when it is asked for first. */
    public static synchronized KafkaBroker shared() {
        try {
            var broker = shared;
            if (broker == null) {
                broker = new KafkaBroker();
                shared = broker;
            }
            return broker;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Lets Kafka, its client too, print nothing but what must not happen. */
    public static synchronized void quiet() {
        if (QUIET.isEmpty()) {
            for (var name : List.of("kafka", "org.apache.kafka", "state.change.logger")) {
                var logger = Logger.getLogger(name);
                logger.setLevel(Level.OFF);
                QUIET.add(logger);
            }
        }
    }

    private Map<String, String> settings() throws IOException {
        var settings = new HashMap<String, String>();
        settings.put("process.roles", "broker,controller");
        settings.put("node.id", "1");
        settings.put("controller.quorum.voters", "1@127.0.0.1:" + controller);
        settings.put("controller.listener.names", "CONTROLLER");
        settings.put("inter.broker.listener.name", "PLAIN");
        settings.put(
                "listener.security.protocol.map",
                "PLAIN:PLAINTEXT,CONTROLLER:PLAINTEXT,ASTRAY:PLAINTEXT,"
                        + "NAMED:SASL_PLAINTEXT,SECURE:SASL_SSL,MUTUAL:SSL");
        var listeners = "PLAIN://%s,NAMED://%s,SECURE://%s,MUTUAL://%s"
                .formatted(bootstrap(), namedBootstrap(), secureBootstrap(), mutualBootstrap());
        settings.put(
                "listeners", listeners + ",CONTROLLER://127.0.0.1:" + controller + ",ASTRAY://" + astrayBootstrap());
        settings.put("advertised.listeners", listeners + ",ASTRAY://169.254.169.254:9092");
        settings.put("log.dirs", directory.resolve("log").toString());
        settings.put("auto.create.topics.enable", "false");
        settings.put("offsets.topic.replication.factor", "1");
        settings.put("transaction.state.log.replication.factor", "1");
        settings.put("transaction.state.log.min.isr", "1");
        settings.put("log.cleaner.dedupe.buffer.size", "2097152");
        settings.put("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer");
        settings.put("super.users", "User:ANONYMOUS");
        settings.put("allow.everyone.if.no.acl.found", "true");
        settings.put("sasl.enabled.mechanisms", "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512");
        for (var listener : List.of("named", "secure")) {
            settings.put(
                    "listener.name." + listener + ".plain.sasl.jaas.config",
                    "org.apache.kafka.common.security.plain.PlainLoginModule required \"user_%s\"=\"%s\";"
                            .formatted(jaas(USER), jaas(PASSWORD)));
            for (var mechanism : List.of("scram-sha-256", "scram-sha-512")) {
                settings.put(
                        "listener.name." + listener + "." + mechanism + ".sasl.jaas.config",
                        "org.apache.kafka.common.security.scram.ScramLoginModule required;");
            }
        }
        settings.put("ssl.keystore.type", "PEM");
        settings.put("ssl.keystore.certificate.chain", TestCertificates.certificates(TestCertificates.LOCALHOST));
        settings.put("ssl.keystore.key", TestCertificates.key(TestCertificates.LOCALHOST));
        settings.put("ssl.truststore.type", "PEM");
        settings.put("ssl.truststore.certificates", TestCertificates.authority());
        settings.put("listener.name.mutual.ssl.client.auth", "required");
        return settings;
    }

    private static String jaas(String text) {
        return text.replace("\\", "\\\\").replace("\"", "\\\"");
    }

    private void format() throws IOException {
        var properties = new Properties();
        properties.putAll(settings());
        var file = directory.resolve("server.properties");
        try (var writer = Files.newBufferedWriter(file)) {
            properties.store(writer, null);
        }
        var arguments = new ArrayList<>(List.of("format", "-c", file.toString(), "-t"));
        arguments.add(Uuid.randomUuid().toString());
        for (var mechanism : List.of("SCRAM-SHA-256", "SCRAM-SHA-512")) {
            arguments.add("-S");
            arguments.add("%s=[name=%s,password=%s]".formatted(mechanism, SCRAM_USER, SCRAM_PASSWORD));
        }
        try (var nowhere = new PrintStream(PrintStream.nullOutputStream(), true, UTF_8)) {
            var code = StorageTool.execute(arguments.toArray(String[]::new), nowhere);
            if (code != 0) {
                throw new AssertionError("The broker's directory could not be formatted: " + code);
            }
        }
    }

    /** Starts it again after {@link #stop}, with all that it had. */
    public void start() throws IOException {
        server = new KafkaRaftServer(new KafkaConfig(settings()), Time.SYSTEM);
        server.startup();
    }

    /** Stops it: nothing listens any more when this returns. */
    public void stop() {
        server.shutdown();
        server.awaitShutdown();
    }

    private void remove() {
        stop();
        try (var files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where anybody may connect. */
    public String bootstrap() {
        return "127.0.0.1:" + plain;
    }

    /** Where clients say who they are, without encryption. */
    public String namedBootstrap() {
        return "127.0.0.1:" + named;
    }

    /** Where clients say who they are, with TLS. */
    public String secureBootstrap() {
        return "localhost:" + secure;
    }

    /** How {@link #SCRAM_USER} logs in there, as a setting of Kafka's client. */
    public static String scramLogin() {
        return "org.apache.kafka.common.security.scram.ScramLoginModule required username=\"%s\" password=\"%s\";"
                .formatted(SCRAM_USER, SCRAM_PASSWORD);
    }

    /** Where clients need a certificate. */
    public String mutualBootstrap() {
        return "localhost:" + mutual;
    }

    /** Where anybody may connect, to be told that the broker is at a link-local address. */
    public String astrayBootstrap() {
        return "127.0.0.1:" + astray;
    }

    private Admin admin() {
        return Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap()));
    }

    /** Makes a topic and gives its name. */
    public String topic(String name, int partitions, Map<String, String> settings) {
        try (var admin = admin()) {
            var topic = new NewTopic(name, partitions, (short) 1).configs(settings);
            var _ = admin.createTopics(List.of(topic)).all().get();
            return name;
        } catch (InterruptedException | ExecutionException e) {
            throw new AssertionError(e);
        }
    }

    /** Makes a topic that nobody with a name may write to. */
    public String guardedTopic(String name) {
        var _ = topic(name, 1, Map.of());
        try (var admin = admin()) {
            var resource = new ResourcePattern(ResourceType.TOPIC, name, PatternType.LITERAL);
            var describe = new AccessControlEntry("User:*", "*", AclOperation.DESCRIBE, AclPermissionType.ALLOW);
            var _ = admin.createAcls(List.of(new AclBinding(resource, describe)))
                    .all()
                    .get();
            return name;
        } catch (InterruptedException | ExecutionException e) {
            throw new AssertionError(e);
        }
    }

    /** Waits until a topic has so many records, and gives all that it has then. */
    public List<ConsumerRecord<byte[], byte[]>> records(String topic, int count) {
        var settings = Map.<String, Object>of(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap());
        var bytes = new ByteArrayDeserializer();
        var records = new ArrayList<ConsumerRecord<byte[], byte[]>>();
        try (var consumer = new KafkaConsumer<>(settings, bytes, bytes)) {
            var partitions = consumer.partitionsFor(topic).stream()
                    .map(partition -> new TopicPartition(topic, partition.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            var deadline = System.nanoTime() + PATIENCE.toNanos();
            while (records.size() < count && System.nanoTime() < deadline) {
                consumer.poll(Duration.ofMillis(100)).forEach(records::add);
            }
        }
        return records;
    }
}
