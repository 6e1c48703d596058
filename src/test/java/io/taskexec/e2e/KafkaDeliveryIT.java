package io.taskexec.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.KafkaBroker;
import io.taskexec.testing.Program;
import io.taskexec.testing.ServerDb;
import io.taskexec.testing.ServerTest;
import io.taskexec.testing.TestCertificates;
import jakarta.inject.Inject;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The packaged program delivers to a Kafka broker. */
@ServerTest(env = "TE_PUBLIC_URL=http://public.invalid", own = "It looks at the number of producers.")
class KafkaDeliveryIT {
    private static final int MANY = 10_000;
    private static final int BATCH = 1_000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Inject
    private static ServerDb db;

    @Inject
    private static Program program;

    @Inject
    private static Api api;

    private static KafkaBroker broker;

    @BeforeAll
    static void start() throws IOException, InterruptedException {
        broker = KafkaBroker.shared();
        assertThat(program.manage("/q/metrics").body()).containsPattern("(?m)^taskexec_kafka_producers 0\\.0$");
    }

    @Test
    void tenThousandMessagesArriveAndAreRecordedWithTheirPlace() throws IOException, InterruptedException {
        var topic = broker.topic("many", 4, Map.of());
        register("many", broker.bootstrap(), topic, Map.of());

        for (var batch = 0; batch < MANY / BATCH; batch++) {
            create("many", batch * BATCH);
        }
        Eventually.await("all have ended", PATIENCE, () -> ended("many") == MANY);

        var records = broker.records(topic, MANY);
        assertThat(records.stream().map(KafkaDeliveryIT::executionId).distinct())
                .hasSize(MANY);
        assertThat(records.stream()
                        .map(record -> new String(record.value(), UTF_8))
                        .distinct())
                .hasSize(MANY);
        var one = records.getFirst();
        assertThat(api.read("/executions/" + executionId(one)).<Object>get("output"))
                .isEqualTo(Map.of("partition", one.partition(), "offset", (int) one.offset()));
        assertThat(program.manage("/q/metrics").body()).containsPattern("(?m)^taskexec_kafka_producers [1-9]");
    }

    @Test
    void aPasswordComesFromASecretAndIsNowhereShown() throws InterruptedException {
        var topic = broker.topic("named", 1, Map.of());
        api.secret("kafka_password", KafkaBroker.SCRAM_PASSWORD);
        api.secret("wrong_password", "tr0ub4dor&3");
        for (var secret : List.of("kafka_password", "wrong_password")) {
            var security = Map.of(
                    "protocol",
                    "sasl_ssl",
                    "mechanism",
                    "scram-sha-512",
                    "username",
                    KafkaBroker.SCRAM_USER,
                    "password",
                    "{{secret." + secret + "}}",
                    "ca_certificates",
                    TestCertificates.authority());
            register(secret.replace('_', '-'), broker.secureBootstrap(), topic, Map.of("security", security));
        }

        var delivered = api.ended(api.immediate("kafka-password", "right"));
        var refused = api.ended(api.immediate("wrong-password", "wrong"));

        assertThat(delivered.getString("status")).isEqualTo("SUCCESS");
        assertThat(refused.getString("status")).isEqualTo("FAILED");
        assertThat(refused.getString("error.type")).isEqualTo("BROKER_ERROR");
        assertThat(refused.getInt("attempt_count")).isEqualTo(1);
        assertThat(program.output()).doesNotContain(KafkaBroker.SCRAM_PASSWORD).doesNotContain("tr0ub4dor");
    }

    @Test
    void aClusterThatIsAwayIsTriedAgainAndNothingIsPrintedAboutIt() throws InterruptedException {
        register("away", "127.0.0.1:" + Program.freePort(), "t", Map.of("timeout_ms", 300));
        var before = program.output();

        var execution = api.ended(api.immediate("away", "k"));

        assertThat(execution.getString("status")).isEqualTo("FAILED");
        assertThat(execution.getString("error.type")).isEqualTo("TIMEOUT");
        assertThat(execution.getInt("attempt_count")).isEqualTo(3);
        assertThat(program.output()).isEqualTo(before);
    }

    @Test
    void aConsumerCompletesTheExecutionWithTheCallbackInItsMessage() throws InterruptedException {
        var topic = broker.topic("completed", 1, Map.of());
        var spec = Map.of("bootstrap_servers", broker.bootstrap(), "topic", topic, "value_template", "work");
        var completion = Map.of("modes", List.of("callback"), "always", true);
        var _ = api.create(
                "/endpoints", Map.of("name", "completed", "type", "KAFKA", "spec", spec, "completion", completion));
        var id = api.immediate("completed", "k");

        var message = broker.records(topic, 1).getFirst();
        var url =
                new String(message.headers().lastHeader("taskexec-callback-url").value(), UTF_8);
        var answer = api.bare()
                .body(Map.of("status", "succeeded", "output", Map.of("rows", 3)))
                .post(url.substring("http://public.invalid".length()));

        assertThat(answer.statusCode()).as(answer.asString()).isEqualTo(200);
        assertThat(api.ended(id).getInt("output.json.rows")).isEqualTo(3);
    }

    private static void register(String name, String bootstrap, String topic, Map<String, Object> more) {
        var spec = new LinkedHashMap<String, Object>(more);
        spec.put("bootstrap_servers", bootstrap);
        spec.put("topic", topic);
        spec.put("key_template", "{{input.n}}");
        spec.put("value_template", Map.of("n", "{{input.n}}"));
        var retries = Map.of("max_attempts", 3, "initial_delay_ms", 1);
        var _ = api.create("/endpoints", Map.of("name", name, "type", "KAFKA", "spec", spec, "retry_policy", retries));
    }

    private static void create(String endpoint, int first) {
        var jobs = IntStream.range(first, first + BATCH)
                .mapToObj(i -> Api.immediateJob(endpoint, "key-" + i))
                .toList();
        assertThat(api.post("/jobs/batch", Map.of("jobs", jobs)).statusCode()).isEqualTo(200);
    }

    private static long ended(String endpoint) {
        return db.number("SELECT count(*) FROM executions JOIN jobs USING (job_id) "
                + "WHERE executions.status = 'SUCCESS' AND endpoint = '" + endpoint + "'");
    }

    private static String executionId(ConsumerRecord<byte[], byte[]> record) {
        return new String(record.headers().lastHeader("taskexec-execution-id").value(), UTF_8);
    }
}
