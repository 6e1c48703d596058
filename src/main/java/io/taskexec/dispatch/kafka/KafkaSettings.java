package io.taskexec.dispatch.kafka;

import io.taskexec.model.endpoint.KafkaSecurity;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.config.types.Password;
import org.apache.kafka.common.security.plain.PlainLoginModule;
import org.apache.kafka.common.security.scram.ScramLoginModule;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** The settings of a producer, where they differ from Kafka's own. */
final class KafkaSettings {
    /** Of one message with its headers; what brokers take unless they are told otherwise. */
    static final int MAX_MESSAGE_BYTES = 1 << 20;

    /**
     * The client splits a batch that is too large for its topic into batches of this size. Where the topic takes less
     * (max.message.bytes), it makes and sends the same batch again and again, and nothing arrives (KAFKA-8350). So this
     * is less than topics take, and enough for several records.
     */
    private static final int BATCH_BYTES = 4 << 10;

    /** The bytes that one producer may hold and has not sent; a full one makes senders wait. */
    private static final long BUFFER_BYTES = 4L << 20;

    /** For the topic's partitions to become known, and for a connection to be made. */
    static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

    private static final Duration LONGEST_REQUEST = Duration.ofSeconds(30);

    /**
     * The client looks up the servers of its settings, past the egress guard, although it then uses those that {@link
     * KafkaConnection} hands it. So the settings have an address, which needs no lookup, and is not connected to.
     */
    private static final String NO_SERVER = "127.0.0.1:1";

    private static final String PEM = "PEM";

    private KafkaSettings() {}

    /** The settings of a producer for {@code target}. */
    static Map<String, Object> of(KafkaTarget target, String name) {
        var settings = new HashMap<String, Object>();
        settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, NO_SERVER);
        settings.put(ProducerConfig.CLIENT_ID_CONFIG, name);
        settings.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        settings.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        settings.put(ProducerConfig.ACKS_CONFIG, target.acks());
        // What the client sends again by itself, the brokers then store once; they can tell only with all replicas.
        settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, target.acks().equals("all"));
        settings.put(ProducerConfig.LINGER_MS_CONFIG, 0L);
        settings.put(ProducerConfig.BATCH_SIZE_CONFIG, BATCH_BYTES);
        settings.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, MAX_MESSAGE_BYTES);
        settings.put(ProducerConfig.BUFFER_MEMORY_CONFIG, BUFFER_BYTES);
        settings.put(ProducerConfig.METRIC_REPORTER_CLASSES_CONFIG, List.of());
        settings.put(ProducerConfig.ENABLE_METRICS_PUSH_CONFIG, false);
        setTimes(settings, target.patience());
        if (target.security() != null) {
            setSecurity(settings, target.security());
        }
        return settings;
    }

    private static void setTimes(Map<String, Object> settings, Duration patience) {
        var wait = shorter(patience, LONGEST_WAIT).toMillis();
        settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, Math.toIntExact(patience.toMillis()));
        // Shorter than the whole, so that an answer that is lost leaves time to ask another broker.
        settings.put(
                ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
                Math.toIntExact(shorter(patience.dividedBy(2), LONGEST_REQUEST).toMillis()));
        settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, wait);
        settings.put(ProducerConfig.SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG, wait);
        settings.put(ProducerConfig.SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS_CONFIG, wait);
    }

    private static Duration shorter(Duration a, Duration b) {
        return a.compareTo(b) <= 0 ? a : b;
    }

    private static void setSecurity(Map<String, Object> settings, KafkaSecurity security) {
        settings.put(
                CommonClientConfigs.SECURITY_PROTOCOL_CONFIG,
                security.protocol().name());
        if (security.mechanism() != null) {
            settings.put(SaslConfigs.SASL_MECHANISM, security.mechanism().toUpperCase(Locale.ROOT));
            settings.put(SaslConfigs.SASL_JAAS_CONFIG, new Password(jaas(security)));
        }
        if (security.caCertificates() != null) {
            settings.put(SslConfigs.SSL_TRUSTSTORE_TYPE_CONFIG, PEM);
            settings.put(SslConfigs.SSL_TRUSTSTORE_CERTIFICATES_CONFIG, new Password(security.caCertificates()));
        }
        if (security.clientCertificate() != null && security.clientKey() != null) {
            settings.put(SslConfigs.SSL_KEYSTORE_TYPE_CONFIG, PEM);
            settings.put(SslConfigs.SSL_KEYSTORE_CERTIFICATE_CHAIN_CONFIG, new Password(security.clientCertificate()));
            settings.put(SslConfigs.SSL_KEYSTORE_KEY_CONFIG, new Password(security.clientKey()));
        }
    }

    /** Kafka takes the name and the password only within a line of the JDK's language for login modules. */
    private static String jaas(KafkaSecurity security) {
        var module = "plain".equals(security.mechanism()) ? PlainLoginModule.class : ScramLoginModule.class;
        return "%s required username=%s password=%s;"
                .formatted(module.getName(), quoted(security.username()), quoted(security.password()));
    }

    /** As {@link java.io.StreamTokenizer} reads it back. */
    private static String quoted(@Nullable String text) {
        var plain = text == null ? "" : text;
        var escaped = plain.replace("\\", "\\\\")
                .replace("\"", "\\\"")
                .replace("\n", "\\n")
                .replace("\r", "\\r");
        return '"' + escaped + '"';
    }
}
