package io.taskexec.dispatch.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.taskexec.dispatch.http.InvalidCallException;
import io.taskexec.model.delivery.HostAndPort;
import io.taskexec.model.delivery.KafkaMessage;
import io.taskexec.model.endpoint.KafkaSecurity;
import io.taskexec.model.endpoint.KafkaSpec;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.security.JaasContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KafkaTargetTest {
    private static final KafkaSecurity SECURITY = security("alice", "secret");

    @Test
    void theOrderOfServersAndTheirCaseDoNotMatter() {
        var target = target("Kafka-2:9092, kafka-1:9092,kafka-2:9092", Duration.ofSeconds(10));

        assertThat(target).isEqualTo(target("KAFKA-1:9092,kafka-2:9092", Duration.ofSeconds(10)));
        assertThat(target.servers())
                .containsExactly(new HostAndPort("kafka-1", 9092), new HostAndPort("kafka-2", 9092));
        assertThat(target.cluster()).isEqualTo("kafka-1:9092 and 1 more");
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "1000, 1", "1001, 3", "10000, 10", "30001, 120", "120001, 600", "3600000, 3600"})
    void theTimeOfTheClientIsTheNextLongerOne(long timeoutMs, long seconds) {
        assertThat(target("a:1", Duration.ofMillis(timeoutMs)).patience()).isEqualTo(Duration.ofSeconds(seconds));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "a:1,", "http://a:1", "a:0", "a b:1"})
    void whatIsNoListOfServersIsRefused(String servers) {
        assertThatExceptionOfType(InvalidCallException.class).isThrownBy(() -> target(servers, Duration.ofSeconds(1)));
    }

    @Test
    void tooManyServersAreRefused() {
        var most = String.join(",", Collections.nCopies(KafkaSpec.MAX_SERVERS, "a:1"));

        assertThat(target(most, Duration.ofSeconds(1)).servers()).hasSize(1);
        assertThatExceptionOfType(InvalidCallException.class)
                .isThrownBy(() -> target(most + ",a:1", Duration.ofSeconds(1)));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 1_001, 10_000, 600_000, 3_600_000})
    void theClientTakesItsTimes(long timeoutMs) {
        for (var acks : KafkaSpec.ACKS) {
            var patience = target("a:1", Duration.ofMillis(timeoutMs)).patience();
            var target = new KafkaTarget(List.of(new HostAndPort("::1", 9092)), acks, null, patience);

            var config = new ProducerConfig(KafkaSettings.of(target, "name"));

            assertThat(config.getBoolean(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG))
                    .isEqualTo(acks.equals("all"));
            assertThat(config.getInt(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG))
                    .isGreaterThan(config.getInt(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "plain",
                "a\"b",
                "a\\",
                "\\\"",
                "a\nb\r\tc",
                "a;b='c' //d /*e*/",
                "${file:/etc/passwd:x}",
                "ü€😀"
            })
    void namesAndPasswordsOfAnyCharactersAreReadBackAsTheyAre(String text) {
        var settings = KafkaSettings.of(
                new KafkaTarget(
                        target("a:1", Duration.ofSeconds(1)).servers(),
                        "all",
                        security(text, text),
                        Duration.ofSeconds(1)),
                "name");
        var values = new ProducerConfig(settings).values();

        assertThat(JaasContext.loadClientContext(values).configurationEntries())
                .singleElement()
                .satisfies(entry -> {
                    assertThat((Object) entry.getOptions().get("username")).isEqualTo(text);
                    assertThat((Object) entry.getOptions().get("password")).isEqualTo(text);
                });
    }

    @Test
    void aPasswordIsNotShown() {
        var target =
                new KafkaTarget(target("a:1", Duration.ofSeconds(1)).servers(), "all", SECURITY, Duration.ofSeconds(1));

        assertThat(target.toString()).contains("SASL_PLAINTEXT").doesNotContain("secret");
        assertThat(KafkaSettings.of(target, "name").toString()).doesNotContain("secret");
    }

    @Test
    void anotherPasswordMakesAnotherTarget() {
        assertThat(SECURITY).isEqualTo(security("alice", "secret")).isNotEqualTo(security("alice", "other"));
    }

    private static KafkaSecurity security(String user, String password) {
        return new KafkaSecurity(
                KafkaSecurity.Protocol.SASL_PLAINTEXT, "scram-sha-256", user, password, null, null, null);
    }

    private static KafkaTarget target(String servers, Duration timeout) {
        return KafkaTarget.of(new KafkaMessage(servers, "t", null, null, Map.of(), "all", null, timeout));
    }
}
