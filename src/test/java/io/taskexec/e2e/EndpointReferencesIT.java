package io.taskexec.e2e;

import static io.taskexec.e2e.ErrorAnswer.expectError;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Api;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An endpoint refers to a config, to secrets and to a payload spec, with which its jobs comply. */
@ServerTest
class EndpointReferencesIT {
    @Inject
    private static Api api;

    @Inject
    private static Receiver receiver;

    @Test
    void anEndpointCanOnlyReferToWhatIsThere() {
        expectError(422, "INVALID_PAYLOAD_SPEC_REF", api.post("/endpoints", """
                {"name": "dangling", "type": "HTTP", "payload_spec": "nobody",
                 "spec": {"url": "http://a/", "method": "GET"}}"""));
        expectError(422, "INVALID_CONFIG_REF", api.post("/endpoints", """
                {"name": "dangling", "type": "HTTP", "config": "nobody",
                 "spec": {"url": "http://a/", "method": "GET"}}"""));
        expectError(422, "TEMPLATE_RESOLUTION_FAILED", api.post("/endpoints", """
                {"name": "dangling", "type": "HTTP",
                 "spec": {"url": "http://a/{{secret.nobody}}", "method": "GET"}}"""));
        expectError(422, "TEMPLATE_RESOLUTION_FAILED", api.post("/endpoints", """
                {"name": "dangling", "type": "HTTP",
                 "spec": {"url": "{{config.url}}", "method": "GET"}}"""));
        expectError(422, "TEMPLATE_RESOLUTION_FAILED", api.post("/endpoints", """
                {"name": "dangling", "type": "HTTP",
                 "spec": {"url": "http://a/{{inptu.x}}", "method": "GET"}}"""));
        expectError(404, "ENDPOINT_NOT_FOUND", api.get("/endpoints/dangling"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"on_success", "on_failure"})
    void anEndpointForResultsThatDoesNotExistIsNotFoundWhateverNamesIt(String field) {
        var known = "known-" + field.replace('_', '-');
        api.endpoint(known, receiver.uri("/"), Map.of());
        var endpoint = """
                {"name": "passing", "type": "HTTP", "spec": {"url": "http://a/", "method": "GET"}, "%s": "missing"}
                """.formatted(field);
        var graph = """
                "jobs": {"a": {"endpoint": "%s"}}, "%s": "missing"}
                """.formatted(known, field);

        for (var refused : List.of(
                api.post("/endpoints", endpoint),
                api.put("/endpoints/" + known, endpoint.replace("passing", known)),
                api.put("/workflow-definitions/passing", "{" + graph),
                api.post("/workflows", "{\"idempotency_key\": \"passing\", " + graph))) {
            expectError(404, "ENDPOINT_NOT_FOUND", refused);
            assertThat(refused.<List<String>>path("error.details.pointer")).containsExactly("/" + field);
        }
    }

    @Test
    void aTemplateForWhichTheConfigHasNoValueIsRefusedWithItsPlace() {
        api.config("partial", Map.of("base", receiver.uri("").toString(), "list", List.of(1), "nothing", Map.of()));
        var endpoint = """
                {"name": "partial", "type": "HTTP", "config": "partial",
                 "spec": {"url": "{{config.base}}/{{input.n}}", "method": "POST",
                  "headers": {"x~a": "{{config.list[0]}} {{config.list[%1$s]}}"},
                  "body_template": {"a~b": [1, {"c": "{{config.%2$s.deep}}"}], "d": "{{config.%2$s}}"}}}""";

        var refused = expectError(
                422, "TEMPLATE_RESOLUTION_FAILED", api.post("/endpoints", endpoint.formatted(1, "nothing")));
        assertThat(refused.<List<Map<String, String>>>path("error.details"))
                .containsExactly(
                        Map.of(
                                "pointer",
                                "/spec/headers/x~0a",
                                "message",
                                "{{config.list[1]}} cannot be resolved: config.list has no element 1"),
                        Map.of(
                                "pointer",
                                "/spec/body_template/a~0b/1/c",
                                "message",
                                "{{config.nothing.deep}} cannot be resolved: config.nothing has no 'deep'"));
        assertThat(refused.<String>path("error.message"))
                .isEqualTo("{{config.list[1]}} cannot be resolved: config.list has no element 1, and 1 more.");
        expectError(404, "ENDPOINT_NOT_FOUND", api.get("/endpoints/partial"));

        var _ = api.update(
                "/configs/partial", "{\"values\":{\"base\":\"http://a/\",\"list\":[1],\"n\":{\"deep\":null}}}");
        var _ = api.create("/endpoints", endpoint.formatted(0, "n"));
        var changed = expectError(
                422, "TEMPLATE_RESOLUTION_FAILED", api.put("/endpoints/partial", endpoint.formatted(0, "nothing")));
        assertThat(changed.<List<String>>path("error.details.pointer"))
                .containsExactly("/spec/body_template/a~0b/1/c", "/spec/body_template/d");
        assertThat(api.read("/endpoints/partial").getInt("version")).isEqualTo(1);
    }

    @Test
    void everySecretThatIsMissingIsNamedWithItsPlaces() {
        api.secret("present", "value");
        var endpoint = """
                {"name": "secretive", "type": "HTTP",
                 "spec": {"url": "http://127.0.0.1:9/{{secret.absent}}", "method": "POST",
                  "headers": {"X-Key": "{{secret.present}}"},
                  "body_template": ["{{secret.present}}", "{{secret.gone}} {{secret.absent}}"]}}""";

        for (var refused : List.of(api.post("/endpoints", endpoint), api.put("/endpoints/secretive", endpoint))) {
            expectError(422, "TEMPLATE_RESOLUTION_FAILED", refused);
            assertThat(refused.<List<String>>path("error.details.pointer"))
                    .containsExactly("/spec/url", "/spec/body_template/1", "/spec/body_template/1");
            assertThat(refused.<List<String>>path("error.details.message"))
                    .containsExactly(
                            "{{secret.absent}} cannot be resolved: there is no secret 'absent'",
                            "{{secret.gone}} cannot be resolved: there is no secret 'gone'",
                            "{{secret.absent}} cannot be resolved: there is no secret 'absent'");
        }
    }

    @Test
    void aConfigMayLoseAValueThatAnEndpointUses() throws InterruptedException {
        api.config("losing", Map.of("word", "hello"));
        var _ = api.create("/endpoints", """
                {"name": "losing", "type": "HTTP", "config": "losing",
                 "spec": {"url": "%s", "method": "POST", "body_template": "{{config.word}}"}}
                """.formatted(receiver.uri("/")));

        var _ = api.update("/configs/losing", "{\"values\":{}}");

        var execution = api.ended(api.immediate("losing", "k"));
        assertThat(execution.getString("status")).isEqualTo("FAILED");
        assertThat(execution.getString("error.type")).isEqualTo("TEMPLATE_RESOLUTION_FAILED");
    }

    @Test
    void aSchemaMustBeOne() {
        expectError(422, "INVALID_SCHEMA", api.post("/payload-specs", """
                {"name": "no-schema", "schema": {"type": "objekt"}}"""));
        var refused = expectError(422, "INVALID_SCHEMA", api.post("/payload-specs", """
                {"name": "no-schema", "schema": {"properties": {"a": {"minLength": -1}}}}"""));
        assertThat(refused.<List<String>>path("error.details.pointer"))
                .containsExactly("/schema/properties/a/minLength");
    }

    @Test
    void anInputMustMatchItsPayloadSpec() {
        api.create("/payload-specs", """
                {"name": "strict", "schema": {"type": "object", "required": ["user_id"],
                  "properties": {"user_id": {"type": "string"}}}}""");
        api.create("/endpoints", """
                {"name": "strict", "type": "HTTP", "payload_spec": "strict",
                 "spec": {"url": "%s", "method": "POST"}}""".formatted(receiver.uri("/")));

        var wrong = expectError(422, "INPUT_VALIDATION_FAILED", api.post("/jobs", """
                {"endpoint": "strict", "trigger": "IMMEDIATE", "idempotency_key": "k", "input": {"user_id": 7}}"""));
        expectError(422, "INPUT_VALIDATION_FAILED", api.post("/jobs", """
                {"endpoint": "strict", "trigger": "IMMEDIATE", "idempotency_key": "k"}"""));

        assertThat(wrong.<List<String>>path("error.details.pointer")).containsExactly("/input/user_id");
        // The key of a refused request is still free.
        api.create("/jobs", """
                {"endpoint": "strict", "trigger": "IMMEDIATE", "idempotency_key": "k", "input": {"user_id": "u"}}""");
    }

    @Test
    void aNewPayloadSpecHoldsAtOnce() {
        api.create("/payload-specs", Map.of("name", "changing", "schema", Map.of("type", "object")));
        api.create("/endpoints", """
                {"name": "changing", "type": "HTTP", "payload_spec": "changing",
                 "spec": {"url": "%s", "method": "POST"}}""".formatted(receiver.uri("/")));
        api.create("/jobs", Api.immediateJob("changing", "before"));

        api.update("/payload-specs/changing", "{\"schema\":{\"type\":\"object\",\"required\":[\"m\"]}}");

        expectError(422, "INPUT_VALIDATION_FAILED", api.post("/jobs", Api.immediateJob("changing", "after")));
    }
}
