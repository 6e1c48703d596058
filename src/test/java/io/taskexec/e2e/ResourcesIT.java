package io.taskexec.e2e;

import static io.taskexec.e2e.ErrorAnswer.expectError;
import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.response.Response;
import io.taskexec.testing.Api;
import io.taskexec.testing.Program;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Configs, payload specs, secrets and endpoints live from their creation to their deletion, and are in lists. */
@ServerTest
class ResourcesIT {
    @Inject
    private static Program program;

    @Inject
    private static Api api;

    @Inject
    private static Receiver receiver;

    @Test
    void aConfigLivesFromCreationToDeletion() {
        var created = api.post("/configs", "{\"name\":\"life\",\"values\":{\"a\":1,\"b\":{\"c\":[true,null]}}}");
        assertThat(created.statusCode()).isEqualTo(201);
        assertThat(created.header("Location")).endsWith("/configs/life");
        assertThat(created.<Map<String, Object>>path("$"))
                .containsOnlyKeys("name", "version", "values", "created_at", "updated_at");
        assertThat(api.get("/configs/life").asString()).isEqualTo(created.asString());

        var updated = api.update("/configs/life", "{\"values\":{\"a\":2}}");
        assertThat(updated.getInt("version")).isEqualTo(2);
        assertThat(updated.getString("created_at")).isEqualTo(created.path("created_at"));
        assertThat(updated.getString("updated_at")).isGreaterThan(created.path("updated_at"));
        assertThat(api.read("/configs/life").<String, Object>getMap("values")).isEqualTo(Map.of("a", 2));

        assertThat(api.delete("/configs/life").statusCode()).isEqualTo(204);
        expectError(404, "CONFIG_NOT_FOUND", api.get("/configs/life"));
    }

    @Test
    void aPayloadSpecLivesFromCreationToDeletion() {
        var created = api.post("/payload-specs", "{\"name\":\"life\",\"schema\":{\"type\":\"object\"}}");
        assertThat(created.statusCode()).isEqualTo(201);
        assertThat(created.<Map<String, Object>>path("$"))
                .containsOnlyKeys("name", "version", "schema", "created_at", "updated_at");
        assertThat(api.get("/payload-specs/life").asString()).isEqualTo(created.asString());

        var updated = api.update("/payload-specs/life", "{\"schema\":{\"type\":\"array\"}}");
        assertThat(updated.getString("schema.type")).isEqualTo("array");

        assertThat(api.delete("/payload-specs/life").statusCode()).isEqualTo(204);
        expectError(404, "PAYLOAD_SPEC_NOT_FOUND", api.get("/payload-specs/life"));
    }

    @Test
    void aSecretsValueNeverComesBack() {
        var value = "sk-live-never-to-be-seen";
        var body = Map.of("name", "silent", "value", value);
        var answers = new ArrayList<Response>();
        answers.add(api.post("/secrets", body));
        assertThat(answers.getFirst().statusCode()).isEqualTo(201);
        assertThat(answers.getFirst().<Map<String, Object>>path("$"))
                .containsOnlyKeys("name", "version", "created_at", "updated_at");
        answers.add(expectError(409, "CONFLICT", api.post("/secrets", body)));
        answers.add(api.get("/secrets/silent"));
        answers.add(api.get("/secrets?limit=200"));
        answers.add(api.put("/secrets/silent", Map.of("value", value)));
        answers.add(expectError(400, "INVALID_REQUEST", api.put("/secrets/silent", Map.of("value", List.of(value)))));
        answers.add(expectError(400, "INVALID_REQUEST", api.put("/secrets/silent", Map.of("valeu", value))));
        answers.add(expectError(400, "INVALID_REQUEST", api.post("/secrets", Map.of("name", "a b", "value", value))));
        answers.add(expectError(400, "INVALID_REQUEST", api.post("/secrets", "{\"value\":\"" + value + "\"")));
        answers.add(expectError(
                400,
                "INVALID_REQUEST",
                api.post("/secrets", Map.of("name", "big", "value", value + "x".repeat(20_000)))));

        assertThat(answers).allSatisfy(answer -> assertThat(answer.asString()).doesNotContain(value));
        assertThat(program.output()).doesNotContain(value);
        assertThat(api.read("/secrets/silent").getInt("version")).isEqualTo(2);
        assertThat(api.delete("/secrets/silent").statusCode()).isEqualTo(204);
        expectError(404, "SECRET_NOT_FOUND", api.get("/secrets/silent"));
    }

    @Test
    void anEndpointLivesFromCreationToDeletion() {
        var created = api.post("/endpoints", """
                {"name": "life", "type": "HTTP",
                 "spec": {"url": "https://example.org/{{input.id}}", "method": "POST"}}""");
        assertThat(created.statusCode()).isEqualTo(201);
        assertThat(created.header("Location")).endsWith("/endpoints/life");
        assertThat(created.<Integer>path("retry_policy.max_attempts")).isEqualTo(1);
        assertThat(created.<String>path("retry_policy.backoff")).isEqualTo("exponential");
        assertThat(created.<Integer>path("retry_policy.initial_delay_ms")).isEqualTo(1000);
        assertThat(created.<Integer>path("retry_policy.max_delay_ms")).isEqualTo(60_000);
        assertThat(created.<List<Integer>>path("spec.expected_status_codes")).containsExactly(200, 201, 202, 204);
        assertThat(api.get("/endpoints/life").asString()).isEqualTo(created.asString());

        var updated = api.update("/endpoints/life", """
                {"name": "life", "type": "HTTP", "spec": {"url": "https://example.org/", "method": "GET"}}""");
        assertThat(updated.getInt("version")).isEqualTo(2);
        assertThat(updated.getString("spec.method")).isEqualTo("GET");

        assertThat(api.delete("/endpoints/life").statusCode()).isEqualTo(204);
        expectError(404, "ENDPOINT_NOT_FOUND", api.get("/endpoints/life"));
        expectError(404, "ENDPOINT_NOT_FOUND", api.post("/jobs", Api.immediateJob("life", "k")));
    }

    @Test
    void aDeletedNameCanBeUsedAgain() {
        api.config("phoenix", Map.of("a", 1));
        assertThat(api.delete("/configs/phoenix").statusCode()).isEqualTo(204);

        api.config("phoenix", Map.of("b", 2));

        assertThat(api.read("/configs/phoenix").<String, Object>getMap("values"))
                .isEqualTo(Map.of("b", 2));
    }

    @ParameterizedTest
    @ValueSource(strings = {"configs", "payload-specs", "secrets", "endpoints", "jobs"})
    void aListIsReadPageByPage(String noun) {
        var target = Api.posting("list-target", receiver.uri("/"), Map.of("max_attempts", 1));
        if (noun.equals("jobs")) {
            api.create("/endpoints", target);
        }
        for (var n = 0; n < 5; n++) {
            var name = "page-" + n;
            api.create(
                    "/" + noun,
                    switch (noun) {
                        case "configs" -> Map.of("name", name, "values", Map.of("n", n));
                        case "payload-specs" -> Map.of("name", name, "schema", Map.of("type", "object"));
                        case "secrets" -> Map.of("name", name, "value", "value-" + n);
                        case "endpoints" -> Api.posting(name, receiver.uri("/"), Map.of());
                        default -> Api.immediateJob("list-target", name);
                    });
        }
        var id = noun.equals("jobs") ? "job_id" : "name";
        var whole = api.read("/" + noun + "?limit=200");
        assertThat(whole.<Object>get("cursor")).isNull();
        assertThat(whole.<String, Object>getMap("$")).containsKey("cursor");

        var paged = new ArrayList<String>();
        var cursor = "";
        do {
            var page = api.read("/" + noun + "?limit=2" + cursor);
            assertThat(page.getList("items")).hasSizeBetween(1, 2);
            paged.addAll(page.getList("items." + id));
            cursor = page.get("cursor") == null ? "" : "&cursor=" + page.getString("cursor");
        } while (!cursor.isEmpty());

        assertThat(paged).isEqualTo(whole.getList("items." + id)).hasSizeGreaterThanOrEqualTo(5);
    }

    @Test
    void aListHas50ItemsUnlessAskedOtherwise() {
        IntStream.range(0, 51).forEach(n -> api.secret("many-" + n, "value"));

        assertThat(api.read("/secrets").getList("items")).hasSize(50);
        assertThat(api.read("/secrets").getString("cursor")).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "limit=0",
                "limit=-1",
                "limit=201",
                "limit=x",
                "limit=1.5",
                "limit=99999999999",
                "cursor=x",
                "cursor=!!!",
                "cursor=bm90aGluZw"
            })
    void aListRefusesAWrongLimitOrCursor(String query) {
        for (var noun : List.of("configs", "payload-specs", "secrets", "endpoints", "jobs")) {
            expectError(400, "INVALID_REQUEST", api.get("/" + noun + "?" + query));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "/payload-specs/nobody, PAYLOAD_SPEC_NOT_FOUND",
        "/configs/nobody, CONFIG_NOT_FOUND",
        "/secrets/nobody, SECRET_NOT_FOUND",
        "/endpoints/nobody, ENDPOINT_NOT_FOUND",
        "/jobs/nobody, JOB_NOT_FOUND",
        "/jobs/job_00000000000000000000000000000000, JOB_NOT_FOUND",
        "/jobs/job_00000000000000000000000000000000/executions, JOB_NOT_FOUND",
        "/executions/nobody, EXECUTION_NOT_FOUND",
        "/executions/exec_00000000000000000000000000000000, EXECUTION_NOT_FOUND",
        "/executions/exec_00000000000000000000000000000000/attempts, EXECUTION_NOT_FOUND",
        "/nothing, NOT_FOUND",
        "/jobs/job_1/2/3, NOT_FOUND"
    })
    void whatIsNotThereIsSaidByItsCode(String path, String code) {
        expectError(404, code, api.get(path));
    }

    @ParameterizedTest
    @CsvSource({
        "configs, CONFIG_NOT_FOUND, '{\"values\":{}}'",
        "payload-specs, PAYLOAD_SPEC_NOT_FOUND, '{\"schema\":{}}'",
        "secrets, SECRET_NOT_FOUND, '{\"value\":\"v\"}'",
        "endpoints, ENDPOINT_NOT_FOUND, '{\"type\":\"HTTP\",\"spec\":{\"url\":\"http://a/\",\"method\":\"GET\"}}'"
    })
    void whatIsNotThereCanBeNeitherUpdatedNorDeleted(String noun, String code, String body) {
        expectError(404, code, api.put("/" + noun + "/nobody", body));
        expectError(404, code, api.delete("/" + noun + "/nobody"));
    }

    @Test
    void aNameIsTakenOnce() {
        api.config("taken", Map.of());
        api.secret("taken", "value");
        api.create("/payload-specs", Map.of("name", "taken", "schema", Map.of()));
        api.endpoint("taken", receiver.uri("/"), Map.of());

        expectError(409, "CONFLICT", api.post("/configs", Map.of("name", "taken", "values", Map.of())));
        expectError(409, "CONFLICT", api.post("/secrets", Map.of("name", "taken", "value", "v")));
        expectError(409, "CONFLICT", api.post("/payload-specs", Map.of("name", "taken", "schema", Map.of())));
        expectError(409, "CONFLICT", api.post("/endpoints", Api.posting("taken", receiver.uri("/"), Map.of())));
    }

    @Test
    void whatIsStillUsedIsNotDeleted() {
        api.config("used", Map.of("url", receiver.uri("/").toString()));
        api.secret("used", "value");
        api.create("/payload-specs", Map.of("name", "used", "schema", Map.of()));
        api.create("/endpoints", """
                {"name": "user", "type": "HTTP", "config": "used", "payload_spec": "used",
                 "spec": {"url": "{{config.url}}", "method": "POST", "headers": {"X-Key": "{{secret.used}}"}}}""");
        var job = api.create("/jobs", """
                {"endpoint": "user", "trigger": "DELAYED", "delay": "PT1H", "idempotency_key": "k"}""");

        expectError(409, "CONFLICT", api.delete("/configs/used"));
        expectError(409, "CONFLICT", api.delete("/secrets/used"));
        expectError(409, "CONFLICT", api.delete("/payload-specs/used"));
        expectError(409, "CONFLICT", api.delete("/endpoints/user"));
        assertThat(job.getString("status")).isEqualTo("ACTIVE");
        assertThat(api.get("/endpoints/user").statusCode()).isEqualTo(200);
    }

    @Test
    void whatIsNoLongerUsedIsDeleted() throws InterruptedException {
        api.config("unused", Map.of());
        api.create("/endpoints", """
                {"name": "former-user", "type": "HTTP", "config": "unused",
                 "spec": {"url": "%s", "method": "POST"}}""".formatted(receiver.uri("/")));
        var executionId = api.immediate("former-user", "k");
        var _ = api.ended(executionId);

        assertThat(api.delete("/endpoints/former-user").statusCode()).isEqualTo(204);
        assertThat(api.delete("/configs/unused").statusCode()).isEqualTo(204);
        assertThat(api.read("/executions/" + executionId).getString("endpoint")).isEqualTo("former-user");
    }

    @Test
    void aNameInAPathMayBeAnything() {
        expectError(404, "CONFIG_NOT_FOUND", api.get("/configs/%00"));
        expectError(404, "CONFIG_NOT_FOUND", api.get("/configs/%27%3B--"));
        expectError(404, "CONFIG_NOT_FOUND", api.get("/configs/" + "x".repeat(3000)));
    }
}
