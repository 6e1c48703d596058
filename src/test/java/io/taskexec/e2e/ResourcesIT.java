package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.response.Response;
import io.taskexec.testing.Api;
import io.taskexec.testing.Program;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ResourcesIT {
    private static final Receiver receiver = new Receiver();
    private static final Program program =
            Program.serving(ServerDb.fresh(ResourcesIT.class)).start();
    private static final Api api = program.api();

    @BeforeAll
    static void awaitReady() throws InterruptedException {
        program.awaitReady();
    }

    @AfterAll
    static void stop() {
        program.close();
        receiver.close();
    }

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
                 "spec": {"url": "%s", "method": "POST", "body_template": "{{config.word}}"}}""".formatted(receiver.uri("/")));

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

    @Test
    void anUnknownFieldIsNamedByItsPointer() {
        var response = expectError(400, "INVALID_REQUEST", api.post("/endpoints", """
                {"name": "odd", "type": "HTTP", "colour": "red",
                 "spec": {"url": "http://a/", "method": "GET", "timeout": 5, "a/b~c": 1},
                 "retry_policy": {"max_atempts": 3}}"""));

        assertThat(response.<List<String>>path("error.details.pointer"))
                .containsExactlyInAnyOrder("/colour", "/spec/timeout", "/spec/a~1b~0c", "/retry_policy/max_atempts");
    }

    @Test
    void everythingThatIsWrongIsSaidAtOnce() {
        var response = expectError(400, "INVALID_REQUEST", api.post("/jobs", """
                {"endpoint": "No Name", "trigger": "DELAYED", "run_at": "tomorrow", "delay": "soon", "priority": 8}"""));

        assertThat(response.<List<String>>path("error.details.pointer"))
                .contains("/endpoint", "/idempotency_key", "/run_at", "/delay", "/priority");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "[]",
                "\"text\"",
                "{",
                "{\"name\":\"x\"",
                "{\"name\":\"x\",}",
                "{\"name\":\"x\"} {}",
                "{\"name\":\"x\",\"name\":\"y\",\"values\":{}}",
                "{'name':'x','values':{}}",
                "{\"name\":\"x\",\"values\":NaN}",
                "{\"name\":\"x\",\"values\":{\"a\":\"\\u0000\"}}",
                "{\"name\":\"x\",\"values\":{\"\\u0000\":1}}",
                "{\"name\":\"x\",\"values\":{\"a\":\"\\ud800\"}}",
                "{\"name\":\"\",\"values\":{}}",
                "{\"name\":\"Upper\",\"values\":{}}",
                "{\"name\":\"a/b\",\"values\":{}}",
                "{\"name\":\"-a\",\"values\":{}}",
                "{\"name\":null,\"values\":{}}",
                "{\"name\":1,\"values\":{}}",
                "{\"name\":\"x\",\"values\":[]}"
            })
    void aBodyThatIsNoConfigIsRefused(String body) {
        expectError(400, "INVALID_REQUEST", api.post("/configs", body));
    }

    @Test
    void aBodyThatIsNestedTooDeeplyIsRefused() {
        var deep = "{\"name\":\"deep\",\"values\":" + "{\"a\":".repeat(5000) + "1" + "}".repeat(5001);

        expectError(400, "INVALID_REQUEST", api.post("/configs", deep));
    }

    @Test
    void aBodyThatIsNotUtf8IsRefused() {
        var bytes = "{\"name\":\"latin\",\"values\":{\"a\":\"?\"}}".getBytes(java.nio.charset.StandardCharsets.UTF_8);
        bytes[indexOf(bytes, '?')] = (byte) 0xe4;

        expectError(
                400,
                "INVALID_REQUEST",
                api.request().contentType("application/json").body(bytes).post("/configs"));
    }

    private static int indexOf(byte[] bytes, char wanted) {
        return IntStream.range(0, bytes.length)
                .filter(i -> bytes[i] == wanted)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aBodyOfMoreThanAMebibyteIsRefused() {
        var values = "{\"name\":\"big\",\"values\":{\"a\":\"%s\"}}";
        var room = 1024 * 1024 - values.length() + 2;

        expectError(413, "PAYLOAD_TOO_LARGE", api.post("/configs", values.formatted("x".repeat(room + 1))));
        assertThat(api.post("/configs", values.formatted("x".repeat(room))).statusCode())
                .as("exactly one mebibyte")
                .isEqualTo(201);
    }

    @Test
    void aBodyThatDoesNotAnnounceItsLengthIsRefusedToo() throws Exception {
        var chunk = "x".repeat(64 * 1024);
        var answer = RawHttp.postChunked(api, "/configs", "{\"name\":\"chunks\",\"values\":{\"a\":\"", chunk, 20);

        assertThat(answer).startsWith("HTTP/1.1 413").contains("PAYLOAD_TOO_LARGE");
    }

    @Test
    void everyAnswerCarriesARequestId() {
        assertThat(api.get("/configs").header("X-Request-Id")).matches("req_[0-9a-f]{32}");
        assertThat(api.request()
                        .header("X-Request-Id", "mine-1")
                        .get("/configs")
                        .header("X-Request-Id"))
                .isEqualTo("mine-1");
        var refused = api.request().header("X-Request-Id", "mine-2").get("/configs/nobody");
        assertThat(refused.<String>path("error.request_id")).isEqualTo("mine-2");
        assertThat(api.request()
                        .header("X-Request-Id", "<script>")
                        .get("/configs")
                        .header("X-Request-Id"))
                .matches("req_[0-9a-f]{32}");
    }

    @Test
    void nobodyIsServedWithoutTheKey() {
        var attempts = List.<Supplier<Response>>of(
                () -> api.bare().get("/configs"),
                () -> new Api(api.port(), "wrong").get("/configs"),
                () -> new Api(api.port(), "").get("/configs"),
                () -> api.bare().header("Authorization", api.key()).get("/configs"),
                () -> api.bare().header("Authorization", "Basic " + api.key()).get("/configs"),
                () -> new Api(api.port(), "wrong").post("/configs", Map.of("name", "x", "values", Map.of())),
                () -> new Api(api.port(), "wrong").delete("/configs/x"));

        for (var attempt : attempts) {
            expectError(401, "UNAUTHORIZED", attempt.get());
        }
        assertThat(api.bare()
                        .header("Authorization", "bearer " + api.key())
                        .get("/configs")
                        .statusCode())
                .as("the scheme in lower case")
                .isEqualTo(200);
    }

    @Test
    void aPathDoesNotTakeEveryMethod() {
        expectError(405, "METHOD_NOT_ALLOWED", api.request().patch("/configs"));
        expectError(405, "METHOD_NOT_ALLOWED", api.delete("/jobs"));
    }

    @ParameterizedTest
    @CsvSource({
        "'{\"type\":\"FTP\"}', /type",
        "'{\"type\":\"KAFKA\"}', /spec",
        "'{\"type\":\"HTTP\",\"spec\":{\"url\":\"http://a/\",\"method\":\"FETCH\"}}', /spec/method",
        "'{\"type\":\"HTTP\",\"spec\":{\"url\":\"http://a/\"}}', /spec/method",
        "'{\"type\":\"HTTP\",\"spec\":{\"method\":\"GET\"}}', /spec/url",
        "'{\"type\":\"HTTP\",\"spec\":{\"url\":\"http://a/\",\"method\":\"GET\",\"timeout_ms\":0}}', /spec/timeout_ms",
        "'{\"type\":\"HTTP\",\"spec\":{\"url\":\"http://a/\",\"method\":\"GET\",\"headers\":{\"A\":1}}}',"
                + " /spec/headers/A",
        "'{\"type\":\"HTTP\",\"spec\":{\"url\":\"http://a/\",\"method\":\"GET\",\"headers\":{\"Host\":\"b\"}}}',"
                + " /spec/headers/Host",
        "'{\"type\":\"HTTP\",\"spec\":{\"url\":\"http://a/\",\"method\":\"GET\",\"expected_status_codes\":[99]}}',"
                + " /spec/expected_status_codes",
        "'{\"type\":\"HTTP\",\"spec\":{\"url\":\"http://a/\",\"method\":\"GET\"},\"retry_policy\":{\"max_attempts\":0}}',"
                + " /retry_policy/max_attempts",
        "'{\"type\":\"HTTP\",\"spec\":{\"url\":\"http://a/\",\"method\":\"GET\"},\"retry_policy\":{\"backoff\":\"random\"}}',"
                + " /retry_policy/backoff"
    })
    void whatIsWrongWithAnEndpointIsNamed(String body, String pointer) {
        var named = body.replaceFirst("\\{", "{\"name\":\"wrong\",");

        var response = expectError(400, "INVALID_REQUEST", api.post("/endpoints", named));

        assertThat(response.<List<String>>path("error.details.pointer")).contains(pointer);
    }

    @ParameterizedTest
    @CsvSource({
        "'\"trigger\":\"IMMEDIATE\",\"run_at\":\"2030-01-01T00:00:00Z\"', /run_at",
        "'\"trigger\":\"IMMEDIATE\",\"delay\":\"PT1S\"', /delay",
        "'\"trigger\":\"DELAYED\"', /run_at",
        "'\"trigger\":\"DELAYED\",\"delay\":\"PT1S\",\"run_at\":\"2030-01-01T00:00:00Z\"', /run_at",
        "'\"trigger\":\"DELAYED\",\"delay\":\"-PT1S\"', /delay",
        "'\"trigger\":\"DELAYED\",\"delay\":\"P20000D\"', /delay",
        "'\"trigger\":\"DELAYED\",\"run_at\":\"2030-01-01T00:00:00\"', /run_at",
        "'\"trigger\":\"DELAYED\",\"run_at\":\"9999-01-01T00:00:00Z\"', /run_at",
        "'\"trigger\":\"CRON\",\"timezone\":\"UTC\"', /cron",
        "'\"trigger\":\"NEVER\"', /trigger"
    })
    void whatIsWrongWithAJobIsNamed(String fields, String pointer) {
        var body = "{\"endpoint\":\"e\",\"idempotency_key\":\"k\"," + fields + "}";

        var response = expectError(400, "INVALID_REQUEST", api.post("/jobs", body));

        assertThat(response.<List<String>>path("error.details.pointer")).containsExactly(pointer);
    }

    @Test
    void aNameInAPathMayBeAnything() {
        expectError(404, "CONFIG_NOT_FOUND", api.get("/configs/%00"));
        expectError(404, "CONFIG_NOT_FOUND", api.get("/configs/%27%3B--"));
        expectError(404, "CONFIG_NOT_FOUND", api.get("/configs/" + "x".repeat(3000)));
    }

    private static Response expectError(int status, String code, Response response) {
        assertThat(response.statusCode()).as(response.asString()).isEqualTo(status);
        assertThat(response.contentType()).startsWith("application/json");
        assertThat(response.<String>path("error.code")).isEqualTo(code);
        assertThat(response.<String>path("error.message")).isNotBlank().doesNotContain("Exception", "io.taskexec");
        assertThat(response.<String>path("error.request_id")).isNotBlank().isEqualTo(response.header("X-Request-Id"));
        return response;
    }
}
