package io.taskexec.resolve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.taskexec.model.delivery.KafkaMessage;
import io.taskexec.model.endpoint.EndpointSpec;
import io.taskexec.model.endpoint.EndpointType;
import io.taskexec.model.endpoint.KafkaSecurity;
import io.taskexec.model.endpoint.KafkaSpec;
import io.taskexec.template.Reference;
import io.taskexec.template.Scope;
import io.taskexec.template.UnresolvableException;
import io.taskexec.testing.Rows;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** In JSON, single quotes stand for double ones. */
class KafkaPlanTest {
    private static final Scope SCOPE = new Scope(
            Rows.json("{'id': 7, 'amount': 12.50, 'none': null}"),
            Rows.json("{'servers': 'a:1,b:2', 'topic': 'orders'}"),
            Map.of("user", "alice", "password", "correct horse", "key", "PEM {{input.id}}")::get);

    private static KafkaPlan plan(String spec) {
        return new KafkaPlan((KafkaSpec) EndpointSpec.of(EndpointType.KAFKA, Rows.json(spec)));
    }

    private static KafkaMessage message(String spec) {
        return (KafkaMessage) plan(spec).request(SCOPE);
    }

    @Test
    void everyTemplateIsResolvedOnceAndNumbersStayAsTheyAre() {
        var message = message("""
                {'bootstrap_servers': '{{config.servers}}', 'topic': '{{config.topic}}.v1',
                 'key_template': '{{input.id}}', 'value_template': {'amount': '{{input.amount}}', 'none': \
                 '{{input.none}}'},
                 'headers': {'b': '{{input.id}}', 'a': 'x'}, 'acks': '1', 'timeout_ms': 5,
                 'security': {'protocol': 'sasl_ssl', 'mechanism': 'plain', 'username': '{{secret.user}}',
                              'password': '{{secret.password}}', 'ca_certificates': 'PEM',
                              'client_certificate': 'PEM', 'client_key': '{{secret.key}}'}}
                """);

        assertThat(message)
                .isEqualTo(new KafkaMessage(
                        "a:1,b:2",
                        "orders.v1",
                        "7",
                        "{\"amount\":12.50,\"none\":null}",
                        Map.of("b", "7", "a", "x"),
                        "1",
                        new KafkaSecurity(
                                KafkaSecurity.Protocol.SASL_SSL,
                                "plain",
                                "alice",
                                "correct horse",
                                "PEM",
                                "PEM",
                                "PEM {{input.id}}"),
                        Duration.ofMillis(5)));
        assertThat(message.headers().keySet()).containsExactly("b", "a");
    }

    @Test
    void whatThereIsNoTemplateForIsNotSent() {
        var message = message("{'bootstrap_servers': 'a:1', 'topic': 't', 'acks': 'all', 'timeout_ms': 5}");

        assertThat(message.key()).isNull();
        assertThat(message.value()).isNull();
        assertThat(message.headers()).isEmpty();
        assertThat(message.security()).isNull();
    }

    @Test
    void aValueThatIsNullIsTheTextNull() {
        var message = message("""
                {'bootstrap_servers': 'a:1', 'topic': 't', 'value_template': '{{input.none}}', 'acks': 'all',
                 'timeout_ms': 5}
                """);

        assertThat(message.value()).isEqualTo("null");
    }

    @Test
    void theSecretsOfEveryPartAreNeeded() {
        var plan = plan("""
                {'bootstrap_servers': '{{secret.a}}', 'topic': 't', 'value_template': ['{{secret.b}}'],
                 'headers': {'h': '{{secret.c}}'}, 'acks': 'all', 'timeout_ms': 5,
                 'security': {'protocol': 'sasl_plaintext', 'mechanism': 'plain', 'username': 'u',
                              'password': '{{secret.d}}'}}
                """);

        assertThat(Reference.secretNames(plan.references())).containsExactlyInAnyOrder("a", "b", "c", "d");
    }

    @Test
    void aTemplateWithoutAValueCannotBeResolved() {
        var plan = plan("""
                {'bootstrap_servers': 'a:1', 'topic': 't', 'key_template': '{{input.absent}}', 'acks': 'all',
                 'timeout_ms': 5}
                """);

        assertThatExceptionOfType(UnresolvableException.class).isThrownBy(() -> plan.request(SCOPE));
    }
}
