package io.taskexec.api.endpoint;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.model.Json;
import io.taskexec.model.endpoint.EndpointFields;
import io.taskexec.model.endpoint.EndpointSpec;
import io.taskexec.model.endpoint.EndpointType;
import io.taskexec.model.endpoint.IdentitySpec;
import io.taskexec.model.endpoint.KafkaSpec;
import io.taskexec.model.endpoint.RedisStreamSpec;
import io.taskexec.request.ApiException;
import io.taskexec.request.ApiException.Detail;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Fields;
import io.taskexec.store.endpoint.EndpointStore.Registration;
import io.taskexec.testing.Examples;
import io.taskexec.testing.Rows;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads requests about endpoints, without a database. In JSON, single quotes stand for double ones. */
class EndpointRequestsTest {
    private static final String HTTP = "{'url': 'http://a/', 'method': 'GET'}";
    private static final String KAFKA = "{'bootstrap_servers': 'kafka-1:9092', 'topic': 'orders'}";
    private static final String REDIS = "{'redis_url': 'redis://r', 'stream': 's', 'fields_template': {'a': 1}}";

    private static Registration read(JsonNode body) {
        var fields = Fields.of(Json.write(body).getBytes(UTF_8), EndpointFields.NEW_ENDPOINT);
        return EndpointRequests.read(fields.name("name"), fields);
    }

    private static JsonNode example(String file) throws IOException {
        return Json.parse(Examples.body(file, "Endpoint"));
    }

    /** The smallest spec of a type, changed by {@code change}, in which a member that is null is one to leave out. */
    private static JsonNode body(EndpointType type, String change) {
        var body = (ObjectNode) Rows.json("{'name': 'it', 'config': 'some', 'type': '" + type + "'}");
        var spec = (ObjectNode) Rows.json(
                switch (type) {
                    case HTTP -> HTTP;
                    case KAFKA -> KAFKA;
                    case REDIS_STREAM -> REDIS;
                    case WORKFLOW -> "{'jobs': {'a': {'endpoint': 'b'}}}";
                    case APPROVAL -> "{'title': 'Go?', 'announce': 'b'}";
                    case WORKER -> "{}";
                });
        Rows.json(change).properties().forEach(member -> {
            if (member.getValue().isNull()) {
                spec.remove(member.getKey());
            } else {
                spec.set(member.getKey(), member.getValue());
            }
        });
        return body.set("spec", spec);
    }

    private static ApiException refusal(JsonNode body) {
        var refusal = catchThrowableOfType(ApiException.class, () -> read(body));
        assertThat(refusal).as(body.toString()).isNotNull();
        return refusal;
    }

    @ParameterizedTest
    @ValueSource(strings = {"welcome-email.yaml", "order-events.yaml", "notifications.yaml"})
    void theExamplesOfTheBriefAreAcceptedAndShownAsTheyAre(String file) throws IOException {
        var example = example(file);

        var registration = read(example);

        assertThat(registration.name()).isEqualTo(example.path("name").textValue());
        assertThat(registration.payloadSpec())
                .isEqualTo(example.path("payload_spec").textValue());
        assertThat(registration.config()).isEqualTo(example.path("config").textValue());
        assertThat(Json.write(registration.spec().toJson())).isEqualTo(Json.write(example.path("spec")));
        assertThat(Json.write(registration.retryPolicy().toJson())).isEqualTo(Json.write(example.path("retry_policy")));
    }

    @Test
    void whatAKafkaEndpointLeavesOutHasItsDefault() {
        assertThat(read(body(EndpointType.KAFKA, "{}")).spec()).isInstanceOfSatisfying(KafkaSpec.class, spec -> {
            assertThat(spec.acks()).isEqualTo("all");
            assertThat(spec.timeout()).isEqualTo(Duration.ofSeconds(10));
            assertThat(spec.headers()).isEmpty();
            assertThat(spec.keyTemplate()).isNull();
            assertThat(spec.valueTemplate()).isNull();
            assertThat(spec.security()).isNull();
        });
    }

    @Test
    void anEmptyListOfStatusesIsReadAsOneThatWasLeftOut() {
        assertThat(read(body(EndpointType.HTTP, "{'expected_status_codes': [], 'headers': {}, 'body_template': null}"))
                        .spec())
                .isEqualTo(read(body(EndpointType.HTTP, "{}")).spec());
    }

    @Test
    void whatARedisEndpointLeavesOutHasItsDefault() {
        assertThat(read(body(EndpointType.REDIS_STREAM, "{}")).spec())
                .isInstanceOfSatisfying(RedisStreamSpec.class, spec -> {
                    assertThat(spec.maxLen()).isNull();
                    assertThat(spec.approximateTrimming()).isTrue();
                    assertThat(spec.timeout()).isEqualTo(Duration.ofSeconds(3));
                });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            HTTP         | {'headers': {'A': 'b'}, 'body_template': {'n': 12.50}, 'expected_status_codes': [204]}
            HTTP         | {'tls': {'client_certificate': '{{config.c}}', 'client_key': '{{secret.k}}'}}
            HTTP         | {'tls': {'ca_certificates': '-----BEGIN CERTIFICATE-----'}}
            HTTP         | {'oauth2': {'token_url': 'http://t/', 'client_id': 'me', 'client_secret': '{{secret.s}}'}}
            HTTP         | {'oauth2': {'token_url': '{{config.t}}/t', 'client_id': 'me', 'client_secret': 's', \
            'scope': 'a b', 'audience': 'c', 'auth': 'body'}}
            KAFKA        | {}
            KAFKA        | {'key_template': '{{input.k}}', 'value_template': {'n': 12.50}, 'headers': {'b': '', \
            'a': 'x'}, \
            'acks': '0'}
            KAFKA        | {'bootstrap_servers': 'a:1, [::1]:2,under_score:65535', 'value_template': 'text', \
            'acks': '1'}
            KAFKA        | {'security': {'protocol': 'plaintext'}}
            KAFKA        | {'security': {'protocol': 'ssl', 'ca_certificates': 'PEM'}}
            KAFKA        | {'security': {'protocol': 'ssl', 'client_certificate': 'PEM', \
            'client_key': '{{secret.key}}'}}
            KAFKA        | {'security': {'protocol': 'sasl_plaintext', 'mechanism': 'plain', 'username': 'u', \
            'password': '{{secret.p}}'}}
            KAFKA        | {'security': {'protocol': 'sasl_ssl', 'mechanism': 'scram-sha-512', \
            'username': '{{config.u}}', \
            'password': 'a{{secret.p}}'}}
            REDIS_STREAM | {}
            REDIS_STREAM | {'max_len': 1, 'approximate_trimming': false, 'timeout_ms': 1, \
            'fields_template': {'a': {'b': [true]}}}
            REDIS_STREAM | {'redis_url': 'rediss://user:pass@[::1]:6380/15', 'max_len': '{{config.len}}'}
            REDIS_STREAM | {'redis_url': 'redis://:{{secret.password}}@{{config.host}}:6379'}
            HTTP         | {'signing': {'secrets': ['new', 'Old_1']}, 'cloud_events': true}
            KAFKA        | {'signing': {'secrets': ['k']}, 'cloud_events': {'type': 'com.example.order placed'}}
            REDIS_STREAM | {'signing': {'secrets': ['k']}, 'cloud_events': true}
            """)
    void whatIsShownReadsBackAsTheSame(EndpointType type, String change) throws IOException {
        var spec = read(body(type, change)).spec();

        var again = EndpointSpec.of(type, Json.parse(Json.write(spec.toJson())));

        assertThat(again).isEqualTo(spec);
        assertThat(Json.write(again.toJson())).isEqualTo(Json.write(spec.toJson()));
    }

    @ParameterizedTest
    @EnumSource(names = {"HTTP", "KAFKA"})
    void eachHeaderThatIsWrongIsTold(EndpointType type) {
        var tooLong = "a".repeat(300);
        var headers =
                "{'headers': {'Taskexec-Job-Id': 'a', 'X-Good': 'a', 'ce_type': 'a', 'traceparent': 'a', '%s': 'a'}}"
                        .formatted(tooLong);

        assertThat(refusal(body(type, headers)).details())
                .extracting(Detail::pointer)
                .contains("/spec/headers/Taskexec-Job-Id", "/spec/headers/traceparent", "/spec/headers")
                .doesNotContain("/spec/headers/X-Good", "/spec/headers/" + tooLong);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {'bootstrap_servers': null}                  | /spec/bootstrap_servers
            {'bootstrap_servers': ''}                    | /spec/bootstrap_servers
            {'bootstrap_servers': ['a:1']}               | /spec/bootstrap_servers
            {'bootstrap_servers': 'kafka-1'}             | /spec/bootstrap_servers
            {'bootstrap_servers': 'a:1,'}                | /spec/bootstrap_servers
            {'bootstrap_servers': 'a:1,b:0'}             | /spec/bootstrap_servers
            {'bootstrap_servers': 'a:65536'}             | /spec/bootstrap_servers
            {'bootstrap_servers': 'SSL://a:1'}           | /spec/bootstrap_servers
            {'topic': null}                              | /spec/topic
            {'topic': 'no spaces'}                       | /spec/topic
            {'topic': '..'}                              | /spec/topic
            {'key_template': 1}                          | /spec/key_template
            {'headers': ['a']}                           | /spec/headers
            {'headers': {'a': 1}}                        | /spec/headers/a
            {'headers': {'': 'a'}}                       | /spec/headers/
            {'headers': {'Taskexec-Job-Id': 'a'}}        | /spec/headers/Taskexec-Job-Id
            {'headers': {'ce_type': 'a'}}                | /spec/headers/ce_type
            {'security': 'ssl'}                          | /spec/security
            {'security': {}}                             | /spec/security/protocol
            {'security': {'protocol': 'tls'}}            | /spec/security/protocol
            {'security': {'protocol': 'ssl', 'password': '{{secret.p}}'}} | /spec/security/password
            {'security': {'protocol': 'ssl', 'mechanism': 'plain'}} | /spec/security/mechanism
            {'security': {'protocol': 'ssl', 'client_key': '{{secret.k}}'}} | /spec/security/client_certificate
            {'security': {'protocol': 'ssl', 'client_certificate': 'PEM'}} | /spec/security/client_key
            {'security': {'protocol': 'ssl', 'certificate': 'PEM'}} | /spec/security/certificate
            {'security': {'protocol': 'plaintext', 'ca_certificates': 'PEM'}} | /spec/security/ca_certificates
            {'security': {'protocol': 'sasl_ssl', 'mechanism': 'gssapi', 'username': 'u', 'password': '{{secret.p}}'}} \
                | /spec/security/mechanism
            {'security': {'protocol': 'sasl_ssl', 'mechanism': 'plain', 'username': 'u'}} | /spec/security/password
            {'acks': 'ALL'}                              | /spec/acks
            {'acks': '2'}                                | /spec/acks
            {'acks': 1}                                  | /spec/acks
            {'timeout_ms': 0}                            | /spec/timeout_ms
            {'timeout_ms': 3600001}                      | /spec/timeout_ms
            {'url': 'http://a/'}                         | /spec/url
            {'signing': {'secrets': ['a', 'b', 'c']}}    | /spec/signing/secrets
            {'signing': {'secrets': ['a', 'a']}}         | /spec/signing/secrets
            {'cloud_events': {'source': '/a'}}           | /spec/cloud_events/source
            """)
    void whatIsWrongWithASpecForKafkaIsNamed(String change, String pointer) {
        assertNamed(EndpointType.KAFKA, change, pointer);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {'redis_url': null}                          | /spec/redis_url
            {'redis_url': 'r:6379'}                      | /spec/redis_url
            {'redis_url': 'http://r:6379'}               | /spec/redis_url
            {'redis_url': 'redis://'}                    | /spec/redis_url
            {'redis_url': 'redis://r:99999'}             | /spec/redis_url
            {'redis_url': 'redis://r/x'}                 | /spec/redis_url
            {'stream': null}                             | /spec/stream
            {'stream': ''}                               | /spec/stream
            {'fields_template': null}                    | /spec/fields_template
            {'fields_template': {}}                      | /spec/fields_template
            {'fields_template': 'a'}                     | /spec/fields_template
            {'fields_template': {'': 'a'}}               | /spec/fields_template
            {'fields_template': {'a': null}}             | /spec/fields_template
            {'redis_url': 'redis://password@r'}          | /spec/redis_url
            {'fields_template': {'a': 1, 'Idempotency-Key': 1}} | /spec/fields_template
            {'fields_template': {'taskexec-job-id': 1}}  | /spec/fields_template
            {'fields_template': {'ce_id': 1}}            | /spec/fields_template
            {'fields_template': {'Webhook-Signature': 1}} | /spec/fields_template
            {'fields_template': {'traceparent': 1}}      | /spec/fields_template
            {'max_len': 0}                               | /spec/max_len
            {'max_len': 1.5}                             | /spec/max_len
            {'max_len': 3000000000}                      | /spec/max_len
            {'max_len': '1000'}                          | /spec/max_len
            {'max_len': ''}                              | /spec/max_len
            {'approximate_trimming': 'yes'}              | /spec/approximate_trimming
            {'timeout_ms': '1'}                          | /spec/timeout_ms
            {'acks': 'all'}                              | /spec/acks
            {'signing': {'secrets': ['a.b']}}            | /spec/signing/secrets
            {'signing': {'secrets': [1]}}                | /spec/signing/secrets
            """)
    void whatIsWrongWithASpecForRedisIsNamed(String change, String pointer) {
        assertNamed(EndpointType.REDIS_STREAM, change, pointer);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {'topic': 'orders'}                          | /spec/topic
            {'headers': {'Traceparent': 'a'}}            | /spec/headers/Traceparent
            {'headers': {'webhook-id': 'a'}}             | /spec/headers/webhook-id
            {'headers': {'ce-mine': 'a'}}                | /spec/headers/ce-mine
            {'signing': true}                            | /spec/signing
            {'signing': 'k'}                             | /spec/signing
            {'signing': {}}                              | /spec/signing/secrets
            {'signing': {'secrets': []}}                 | /spec/signing/secrets
            {'signing': {'secrets': 'k'}}                | /spec/signing/secrets
            {'signing': {'secrets': ['a'], 'key': 1}}    | /spec/signing/key
            {'cloud_events': 'yes'}                      | /spec/cloud_events
            {'cloud_events': {'type': ''}}               | /spec/cloud_events/type
            {'cloud_events': {'type': 'a\\nb'}}          | /spec/cloud_events/type
            {'url': null}                                | /spec/url
            {'tls': {}}                                  | /spec/tls
            {'tls': {'client_key': '{{secret.k}}'}}      | /spec/tls
            {'tls': {'client_certificate': '{{secret.k}}', 'ca_certificates': '{{secret.a}}'}} | /spec/tls
            {'tls': {'ca_certificates': 'ca.pem'}}       | /spec/tls/ca_certificates
            {'tls': {'ca_certificates': '{{config.a}}', 'password': 'a'}} | /spec/tls/password
            {'oauth2': {'token_url': 'http://t/', 'client_id': 'me'}} | /spec/oauth2/client_secret
            {'oauth2': {'token_url': 'http://t/', 'client_id': 'me', 'client_secret': 's', 'auth': 'jwt'}} \
                | /spec/oauth2/auth
            {'oauth2': {'token_url': 'http://t/', 'client_id': 'me', 'client_secret': 's'}, \
            'headers': {'authorization': 'a'}} | /spec/headers
            """)
    void whatIsWrongWithASpecForHttpIsNamed(String change, String pointer) {
        assertNamed(EndpointType.HTTP, change, pointer);
    }

    private static void assertNamed(EndpointType type, String change, String pointer) {
        var refusal = refusal(body(type, change));

        assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_REQUEST);
        assertThat(refusal.details()).extracting(Detail::pointer).containsExactly(pointer);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"{'name': 'it', 'type': 'FTP', 'spec': {'host': 'a'}}", "{'name': 'it', 'spec': {'url': 1}}"})
    void withoutAKnownTypeNothingElseIsSaid(String body) {
        assertThat(refusal(Rows.json(body)).details())
                .extracting(Detail::pointer)
                .containsExactly("/type");
    }

    @Test
    void allThatIsWrongIsSaidAtOnce() {
        var body = body(EndpointType.KAFKA, "{'topic': null, 'acks': 'some', 'retries': 1}");

        assertThat(refusal(body).details())
                .extracting(Detail::pointer)
                .containsExactly("/spec/topic", "/spec/acks", "/spec/retries");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            KAFKA        | {'bootstrap_servers': '{{input.a}}:9092'} | /spec/bootstrap_servers \
                | {{config.*}} and {{secret.*}}
            KAFKA        | {'topic': 'orders-{{input.a}}'}             | /spec/topic             | only {{config.*}} may
            KAFKA        | {'topic': '{{secret.a}}'}                   | /spec/topic             | not {{secret.a}}
            KAFKA        | {'key_template': '{{secret.a}}'} | /spec/key_template | {{input.*}} and {{config.*}}
            KAFKA        | {'value_template': {'a': '{{nothing.a}}'}}  | /spec/value_template/a  | namespace
            KAFKA        | {'headers': {'a': '{{input.a'}}             | /spec/headers/a         | not closed
            KAFKA        | {'security': {'protocol': 'ssl', 'ca_certificates': '{{input.a}}'}} \
                | /spec/security/ca_certificates | {{config.*}} and {{secret.*}}
            KAFKA        | {'security': {'protocol': 'ssl', 'client_certificate': 'PEM', 'client_key': 'PEM'}} \
                | /spec/security/client_key | must have a {{secret.*}}
            KAFKA        | {'security': {'protocol': 'sasl_ssl', 'mechanism': 'plain', 'username': 'u', \
            'password': '{{config.p}}'}} \
                | /spec/security/password | must have a {{secret.*}}
            REDIS_STREAM | {'redis_url': 'redis://{{input.a}}'}        | /spec/redis_url         | not {{input.a}}
            REDIS_STREAM | {'stream': '{{input.a}}'}                   | /spec/stream            | only {{config.*}} may
            REDIS_STREAM | {'stream': '{{secret.a}}'}                  | /spec/stream            | not {{secret.a}}
            REDIS_STREAM | {'fields_template': {'a': '{{secret}}'}}    | /spec/fields_template/a | alone is not a value
            REDIS_STREAM | {'max_len': '{{input.a}}'}                  | /spec/max_len           | not {{input.a}}
            REDIS_STREAM | {'max_len': '1{{config.a}}'}                | /spec/max_len           | nothing but one
            HTTP         | {'url': 'http://{{input.a}}/'}              | /spec/url               | before the end
            HTTP         | {'tls': {'ca_certificates': '{{input.a}}'}} | /spec/tls/ca_certificates \
                | {{config.*}} and {{secret.*}}
            HTTP         | {'oauth2': {'token_url': 'http://t/{{input.a}}', 'client_id': 'me', 'client_secret': 's'}} \
                | /spec/oauth2/token_url | not {{input.a}}
            HTTP         | {'oauth2': {'token_url': 'http://t/', 'client_id': 'me', 'client_secret': '{{secret}}'}} \
                | /spec/oauth2/client_secret | alone is not a value
            """)
    void aTemplateThatCannotStandWhereItDoesIsRefused(EndpointType type, String change, String pointer, String says) {
        var refusal = refusal(body(type, change));

        assertThat(refusal.code()).isEqualTo(ErrorCode.TEMPLATE_RESOLUTION_FAILED);
        assertThat(refusal).hasMessageContaining(says);
        assertThat(refusal.details()).extracting(Detail::pointer).containsExactly(pointer);
    }

    @Test
    void theSecretsOfAllFieldsAreNamed() {
        var kafka = read(body(EndpointType.KAFKA, """
                {'bootstrap_servers': '{{secret.a}}:1', 'value_template': ['{{secret.b}}'], 'headers': {'h': \
                '{{secret.c}}'}}
                """));
        var redis = read(body(EndpointType.REDIS_STREAM, """
                {'redis_url': 'redis://:{{secret.a}}@r', 'fields_template': {'f': {'g': '{{secret.b}}'}}}
                """));

        var http = read(body(EndpointType.HTTP, """
                {'tls': {'client_certificate': '{{secret.a}}', 'client_key': '{{secret.b}}'},
                 'oauth2': {'token_url': 'http://t/', 'client_id': '{{secret.c}}', 'client_secret': '{{secret.d}}'}}
                """));

        assertThat(http.secrets()).containsExactlyInAnyOrder("a", "b", "c", "d");
        assertThat(kafka.secrets()).containsExactlyInAnyOrder("a", "b", "c");
        assertThat(redis.secrets()).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void secretsThatSignCountAsSecretsOfTheEndpoint() {
        var registration = read(body(EndpointType.HTTP, """
                {'headers': {'A': '{{secret.a}}'}, 'signing': {'secrets': ['a', 'b']}}
                """));

        assertThat(registration.secrets()).containsExactlyInAnyOrder("a", "b");
        assertThat(registration.spec().identity().signingSecrets()).containsExactly("a", "b");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {}                                           |
            {'cloud_events': false}                      |
            {'cloud_events': true}                       | io.taskexec.job
            {'cloud_events': {}}                         | io.taskexec.job
            {'cloud_events': {'type': 'io.taskexec.job'}} | io.taskexec.job
            {'cloud_events': {'type': 'mine'}}           | mine
            """)
    void theTypeOfEventsHasADefault(String change, @Nullable String type) {
        assertThat(read(body(EndpointType.HTTP, change)).spec().identity())
                .isEqualTo(new IdentitySpec(List.of(), type));
    }

    @Test
    void whoUsesAConfigNamesIt() {
        var body = (ObjectNode) body(EndpointType.REDIS_STREAM, "{'max_len': '{{config.len}}'}");

        assertThatExceptionOfType(ApiException.class)
                .isThrownBy(() -> read(body.without("config")))
                .withMessageContaining("names no 'config'");
    }
}
