package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.embedded.UnsteadyServer;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.KafkaBroker;
import io.taskexec.testing.Program;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import io.taskexec.testing.TestCertificates;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InboundJobsIT {
    private static final int RECORDS = 14;
    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final String JOB = "{\"endpoint\":\"inbound\",\"trigger\":\"IMMEDIATE\",%s\"input\":{\"n\":\"%s\"}}";

    private final KafkaBroker broker = KafkaBroker.shared();

    @TempDir
    private Path directory;

    /** The brokers cannot be connected to at first. */
    @Test
    void recordsBecomeJobsOrDeadLettersAndNoneIsLostWhileTheDatabaseIsAway() throws InterruptedException, IOException {
        var certificates = directory.resolve("ca.pem");
        var topic = broker.topic("jobs", 2, Map.of());
        var dead = broker.topic("jobs-dead-letter", 1, Map.of());
        var server = UnsteadyServer.start("inbound-database");
        try (var receiver = new Receiver()) {
            var database = ServerDb.at(server.url());
            database.empty();
            var setup = Program.serving(database)
                    .with("TE_DB_STATEMENT_TIMEOUT_MS", "3000")
                    .with("TE_JOBS_KAFKA_TOPIC", topic)
                    .with("TE_JOBS_KAFKA_BOOTSTRAP_SERVERS", broker.secureBootstrap())
                    .with("KAFKA_SECURITY_PROTOCOL", "SASL_SSL")
                    .with("KAFKA_SASL_MECHANISM", "SCRAM-SHA-256")
                    .with("KAFKA_SASL_JAAS_CONFIG", KafkaBroker.scramLogin())
                    .with("KAFKA_SSL_TRUSTSTORE_TYPE", "PEM")
                    .with("KAFKA_SSL_TRUSTSTORE_LOCATION", certificates.toString());
            try (var program = setup.startReady()) {
                Eventually.await(
                        "it says so", BOUND, () -> program.output().contains("the topic of jobs cannot be read"));
                Files.writeString(certificates, TestCertificates.authority());
                program.api().endpoint("inbound", receiver.uri("/"), Map.of("max_attempts", 1));

                send(topic, "by-record", JOB.formatted("", "1"));
                send(topic, "partition", JOB.formatted("\"idempotency_key\":\"by-json\",", "2"));
                send(topic, "by-record", JOB.formatted("", "1"));
                send(topic, "other", JOB.formatted("\"idempotency_key\":\"by-json\",", "2"));
                checkDeadLetters(topic, dead);
                assertThat(receiver.awaitCount(2, BOUND)).hasSize(2);
                checkConflicts(topic, dead, database, receiver);

                server.crash();
                send(topic, "while-away", JOB.formatted("", "3"));
                Eventually.await(
                        "it notices", BOUND, () -> program.output().contains("jobs of a topic cannot be stored"));
                server.startAgain();

                var _ = receiver.awaitCount(4, BOUND);
                assertThat(database.texts("SELECT DISTINCT idempotency_key FROM jobs"))
                        .containsExactlyInAnyOrder("by-record", "by-json", "typed", "while-away");
                assertThat(broker.records(dead, 6)).hasSize(6);
                Eventually.await("all is committed", BOUND, () -> committed() == RECORDS);
                assertThat(program.output())
                        .contains("the topic of jobs is read again", "jobs of a topic are stored again")
                        .doesNotContain("ERROR");
                program.terminate();
                assertThat(program.awaitExit()).isIn(0, Program.SIGTERM);
            }
        } finally {
            server.close();
        }
    }

    private void checkConflicts(String topic, String dead, ServerDb database, Receiver receiver)
            throws InterruptedException {
        send(topic, "typed", typed("replace", "PT1H", "first"));
        send(topic, "typed", typed("replace", "PT1H", "second"));
        Eventually.await(
                "the second replaces the first",
                BOUND,
                () -> database.texts("SELECT status FROM executions").contains("SUPERSEDED"));
        send(topic, "typed", typed("reject", "PT1H", "refused"));
        assertThat(broker.records(dead, 6))
                .extracting(record -> header(record, "taskexec-error-code"))
                .filteredOn("IDEMPOTENCY_KEY_REUSED"::equals)
                .as("with those of checkDeadLetters")
                .hasSize(2);
        send(topic, "typed", typed("replace", "PT0S", "last"));
        assertThat(receiver.awaitCount(3, BOUND).getLast().body()).contains("last");
        assertThat(database.texts("SELECT status FROM executions WHERE status = 'SUPERSEDED'"))
                .hasSize(2);
    }

    private static String typed(String onConflict, String delay, String n) {
        return "{\"endpoint\":\"inbound\",\"delay\":\"%s\",\"on_conflict\":\"%s\",\"input\":{\"n\":\"%s\"}}"
                .formatted(delay, onConflict, n);
    }

    private void checkDeadLetters(String topic, String dead) {
        send(topic, "bad-json", "{");
        send(topic, "bad-endpoint", JOB.formatted("", "5").replace("inbound", "missing"));
        send(topic, "by-record", JOB.formatted("", "another"));
        send(topic, null, JOB.formatted("", "6"));
        send(topic, "tombstone", null);

        var codes = new HashMap<String, String>();
        for (var record : broker.records(dead, 5)) {
            codes.put(String.valueOf(text(record.key())), header(record, "taskexec-error-code"));
            assertThat(header(record, "taskexec-topic")).isEqualTo(topic);
            assertThat(header(record, "taskexec-error"))
                    .startsWith("{\"error\":{\"code\":\"" + header(record, "taskexec-error-code") + "\"");
            assertThat(header(record, "taskexec-error-message")).isNotEmpty();
            assertThat(header(record, "kept")).isEqualTo("as it was");
        }
        assertThat(codes)
                .isEqualTo(Map.of(
                        "bad-json", "INVALID_REQUEST",
                        "bad-endpoint", "ENDPOINT_NOT_FOUND",
                        "by-record", "IDEMPOTENCY_KEY_REUSED",
                        "null", "INVALID_REQUEST",
                        "tombstone", "INVALID_REQUEST"));
    }

    private long committed() {
        try (var admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
            return admin.listConsumerGroupOffsets("taskexec").partitionsToOffsetAndMetadata().get().values().stream()
                    .mapToLong(OffsetAndMetadata::offset)
                    .sum();
        } catch (ExecutionException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
        return String.valueOf(text(record.headers().lastHeader(name).value()));
    }

    private static @Nullable String text(byte @Nullable [] bytes) {
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }

    private void send(String topic, @Nullable String key, @Nullable String value) {
        var settings = Map.<String, Object>of("bootstrap.servers", broker.bootstrap(), "linger.ms", 0);
        try (var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            var record = new ProducerRecord<>(topic, key, value);
            record.headers().add("kept", "as it was".getBytes(StandardCharsets.UTF_8));
            var _ = producer.send(record);
            producer.flush();
        }
    }
}
