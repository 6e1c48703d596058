package io.taskexec.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.restassured.http.ContentType;
import io.restassured.response.Response;
import io.taskexec.testing.Api;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.net.URI;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every operation and every error code of the API, one row each. Without workers nothing runs, and all stays as the
 * rows need it.
 */
@ServerTest(roles = "api", env = "TE_WRONG_KEYS_PER_MIN=0")
class ContractIT {
    private static final String REQUEST_ID = "contract-1";
    private static final String INTERVAL = "\"trigger\": \"INTERVAL\", \"every\": \"PT1H\"";
    private static final String CRON =
            "\"trigger\": \"CRON\", \"cron\": \"0 9 * * MON\", \"timezone\": \"Europe/Berlin\"";

    /** Nothing that a single request does leads there: other tests do, or nothing ever should. */
    private static final Set<String> ELSEWHERE = Set.of("FORBIDDEN", "RATE_LIMITED", "INTERNAL_ERROR", "UNAVAILABLE");

    /** An endpoint or a job that changes with every try of one request, and an execution that ends during one. */
    private static final List<String> RACES = List.of(
            "POST /jobs CONFLICT",
            "POST /workflows CONFLICT",
            "PUT /jobs/{id} CONFLICT",
            "PATCH /jobs/{id} CONFLICT",
            "PATCH /endpoints/{name}/keys/{key} CONFLICT",
            "DELETE /endpoints/{name}/keys/{key} CONFLICT",
            "POST /executions/{id}/callback EXECUTION_ENDED",
            "POST /executions/{id}/callback ATTEMPT_ENDED");

    /** Too many operations that run, beside which none could be created: {@link DeadLettersIT} does that. */
    private static final String FULL = "POST /executions/bulk CONFLICT";

    /** A signal too many, which PressureStoreTest asks for. */
    private static final String SIGNALS = "PUT /pressure/{name} CONFLICT";

    /** Too many queues: the test of the store creates as many as there may be. */
    private static final String QUEUES = "PUT /queues/{name} CONFLICT";

    /** An answer without an end, and one for which there must be events: {@link EventsIT} asks for both. */
    private static final Set<String> FOLLOWED = Set.of("GET /events", "GET /events EVENTS_GONE");

    /** Callbacks of executions whose receiver has deferred them: {@link DeferralIT} has such a receiver, and
     * {@link ApprovalsIT} asks.
     */
    private static final Set<String> DEFERRED = Set.of(
            "GET /approvals/{id}",
            "POST /approvals/{id}/decision",
            "POST /approvals/{id}/decision APPROVAL_DECIDED",
            "POST /callbacks/{token}",
            "POST /callbacks/{token} EXECUTION_ENDED",
            "POST /callbacks/{token} ATTEMPT_ENDED",
            "POST /executions/{id}/callback",
            "POST /leases/defer");

    /** Of a server with a virtual clock, with {@link VirtualClockIT}. */
    private static final Set<String> CLOCK = Set.of("GET /dev/clock", "POST /dev/clock", "POST /dev/clock CONFLICT");

    private static final ApiDocument document = ApiDocument.read();

    @Inject
    private static Api api;

    private static final Map<String, String> ids = new HashMap<>();

    private static Stream<ContractRow> rows() {
        return ContractRow.all();
    }

    /** What no route answers. */
    private static Stream<ContractRow> strays() {
        return Stream.of(
                ContractRow.of("GET /nothing", "", null, "404 NOT_FOUND"),
                ContractRow.of("GET /jobs/{id}/nothing", "delayed", null, "404 NOT_FOUND"),
                ContractRow.of("PATCH /jobs", "", "{}", "405 METHOD_NOT_ALLOWED"),
                ContractRow.of("DELETE /jobs/{id}", "delayed", null, "405 METHOD_NOT_ALLOWED"));
    }

    /** No route ignores a parameter that it does not have. */
    private static Stream<ContractRow> unknownParameters() {
        return document.operations().keySet().stream()
                .map(route -> ContractRow.of(route, "delayed?unknown=1", "{}", "400 INVALID_REQUEST"));
    }

    @BeforeAll
    static void setUp() {
        for (var name : List.of("strict", "free", "gone")) {
            var _ = api.create("/payload-specs", "{\"name\": \"" + name + "\", \"schema\": {\"type\": \"object\"}}");
        }
        for (var name : List.of("used", "free", "gone")) {
            api.config(name, Map.of("a", 1));
            api.secret(name, "value");
        }
        for (var name : List.of("free", "gone")) {
            var _ = api.create("/queues", "{\"name\": \"" + name + "\"}");
        }
        var url = URI.create("http://127.0.0.1:9/");
        var _ = api.create("/endpoints", Map.of("name", "pulled", "type", "WORKER", "spec", Map.of()));
        for (var name : List.of("target", "free", "gone")) {
            api.endpoint(name, url, Map.of());
        }
        var _ = api.create(
                "/endpoints",
                "{\"name\": \"checked\", \"payload_spec\": \"strict\", \"config\": \"used\", "
                        + ContractRow.spec("{{secret.used}}") + "}");
        createJobs();
        for (var name : List.of("running", "cancelled")) {
            var operation = api.create("/executions/bulk", "{\"action\": \"retry\"}");
            ids.put(name + "-operation", operation.getString("operation_id"));
        }
        var _ = api.act("/operations/" + ids.get("cancelled-operation") + "/cancel");
        var _ = api.act("/jobs/" + ids.get("retired") + "/cancel");
        var _ = api.act("/jobs/" + ids.get("cancelled") + "/cancel");
        var _ = api.update("/pressure/gone", Map.of("value", 0.1, "ttl", "PT1H"));
        for (var name : List.of("flow", "busy", "outdated")) {
            var workflow = api.put("/workflow-definitions/" + name, "{\"jobs\": {\"a\": {\"endpoint\": \"target\"}}}");
            assertThat(workflow.statusCode()).isEqualTo(201);
        }
        for (var name : List.of("open-run", "open-run2", "ended-run", "ended-run2")) {
            var run = "{\"definition\": \"busy\", \"trigger\": \"DELAYED\", \"delay\": \"P1D\","
                    + " \"idempotency_key\": \"%s\"}".formatted(name);
            ids.put(name, api.create("/workflows", run).getString("workflow_id"));
        }
        ids.put("run-execution", ids.getOrDefault("open-run", "").replaceFirst("^wf_", "exec_"));
        for (var name : List.of("ended-run", "ended-run2")) {
            var _ = api.act("/workflows/" + ids.get(name) + "/cancel");
        }
        for (var name : List.of("known", "revoked")) {
            var key = api.create("/keys", "{\"name\": \"" + name + "\", \"scopes\": [\"read\"]}");
            ids.put(name + "-key", key.getString("key_id"));
        }
    }

    /** Where what a route creates is to be found. */
    private static String created(String path) {
        return path.replaceFirst("/[^/]+/(retry|replay)$", "")
                        .replaceFirst("^/workflow-definitions/[^/]+$", "/workflow-definitions")
                        .replaceFirst("^/queues/[^/]+$", "/queues")
                        .replaceFirst("^/executions/bulk$", "/operations")
                        .replaceFirst("^/jobs/[^/]+/trigger$", "/executions")
                + "/";
    }

    private static void createJobs() {
        for (var key : List.of("delayed", "waiting", "waiting2", "waiting3", "waiting4", "cancelled")) {
            oneShot(key);
        }
        var _ = api.create("/jobs", oneShot("target", "IMMEDIATE", "known", "1"));
        var dependent = oneShot("target", "IMMEDIATE", "dependent", "1")
                .replaceFirst("\\{", "{\"depends_on\": [\"" + ids.get("delayed") + "\"], ");
        ids.put("dependent", api.create("/jobs", dependent).getString("job_id"));
        var _ = api.create(
                "/jobs", "{\"endpoint\": \"checked\", \"idempotency_key\": \"weekly\", " + CRON + ", \"input\": {}}");
        for (var name : List.of("cron", "cron2", "cron3", "retired")) {
            ids.put(
                    name,
                    api.create("/jobs", "{\"endpoint\": \"target\", " + CRON + "}")
                            .getString("job_id"));
        }
        // Endpoints that get a condition after a job was created for them.
        for (var changed : List.of(
                List.of("tightened", "\"payload_spec\": \"strict\""),
                List.of("keyed", "\"flow\": {\"key\": \"{{input.tenant}}\", \"max_concurrency\": 1}"))) {
            var name = changed.getFirst();
            api.endpoint(name, URI.create("http://127.0.0.1:9/"), Map.of());
            var job = oneShot(name, "DELAYED", "before", "1").replaceFirst("\\{", "{\"delay\": \"P1D\", ");
            ids.put(name, api.create("/jobs", job).getString("job_id"));
            var _ = api.update("/endpoints/" + name, "{" + changed.getLast() + ", " + ContractRow.spec("x") + "}");
        }
        var interval = api.create("/jobs", "{\"endpoint\": \"target\", " + INTERVAL + "}");
        ids.put("interval", interval.getString("job_id"));
        var checked = api.create("/jobs", "{\"endpoint\": \"checked\", " + CRON + "}");
        ids.put("checked-cron", checked.getString("job_id"));
    }

    private static void oneShot(String key) {
        var job = api.create(
                "/jobs", oneShot("target", "DELAYED", key, "{\"n\": 1}").replaceFirst("\\{", "{\"delay\": \"P1D\", "));
        ids.put(key, job.getString("job_id"));
        ids.put(key + "-execution", job.getString("execution.execution_id"));
    }

    private static String oneShot(String endpoint, String trigger, String key, String input) {
        return "{\"endpoint\": \"%s\", \"trigger\": \"%s\", \"idempotency_key\": \"%s\", \"input\": %s}"
                .formatted(endpoint, trigger, key, input);
    }

    private static Stream<ContractRow> dependents() {
        return RefusedDependencies.ofJobs(ids.getOrDefault("interval", ""));
    }

    private static Stream<ContractRow> graphs() {
        return RefusedDependencies.ofWorkflows();
    }

    /** Reads and writes that depend on an entity tag. */
    private static Stream<ContractRow> conditional() {
        var bodies = Map.of(
                "/payload-specs", "{\"schema\": {}}",
                "/configs", "{\"values\": {\"a\": 1}}",
                "/secrets", "{\"value\": \"w\"}",
                "/queues", "{\"weight\": 2}",
                "/endpoints", "{" + ContractRow.spec("x") + "}");
        var definition = "/workflow-definitions/{name}";
        var patches = Stream.of(
                ContractRow.of("PATCH /jobs/{id}", "delayed", "{}", "412 PRECONDITION_FAILED")
                        .with("If-Match", "\"other\""),
                ContractRow.of("PATCH /endpoints/{name}/keys/{key}", "target/delayed", "{}", "412 PRECONDITION_FAILED")
                        .with("If-Match", "\"other\""));
        var definitions = Stream.of(
                ContractRow.of("GET " + definition, "flow", null, "304").with("If-None-Match", "*"),
                ContractRow.of(
                                "PUT " + definition,
                                "flow",
                                "{\"jobs\": {\"a\": {\"endpoint\": \"target\"}}}",
                                "412 PRECONDITION_FAILED")
                        .with("If-Match", "\"other\""),
                ContractRow.of("DELETE " + definition, "flow", null, "412 PRECONDITION_FAILED")
                        .with("If-Match", "W/\"other\""));
        return Stream.concat(
                Stream.concat(patches, definitions), bodies.entrySet().stream().flatMap(noun -> {
                    var route = noun.getKey() + "/{name}";
                    return Stream.of(
                            ContractRow.of("GET " + route, "free", null, "304").with("If-None-Match", "*"),
                            ContractRow.of("GET " + route, "free", null, "200").with("If-None-Match", "\"other\""),
                            ContractRow.of("GET " + route, "free", null, "400 INVALID_REQUEST")
                                    .with("If-None-Match", "other"),
                            ContractRow.of("PUT " + route, "free", noun.getValue(), "200")
                                    .with("If-Match", "*"),
                            ContractRow.of("PUT " + route, "free", noun.getValue(), "412 PRECONDITION_FAILED")
                                    .with("If-Match", "\"other\""),
                            ContractRow.of("DELETE " + route, "free", null, "412 PRECONDITION_FAILED")
                                    .with("If-Match", "W/\"other\""),
                            ContractRow.of("DELETE " + route, "free", null, "400 INVALID_REQUEST")
                                    .with("If-Match", "\"other"));
                }));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource({"rows", "dependents", "graphs", "conditional", "strays", "unknownParameters"})
    void isAnsweredAsTheContractSays(ContractRow row) {
        var response = send(api, row, row.body());

        assertThat(response.statusCode()).as(response.asString()).isEqualTo(row.status());
        checkCommon(response, row.code());
        if (row.code().isEmpty()) {
            document.check(row.route(), row.status(), response.asString());
        }
        if (row.status() == 201) {
            var location = URI.create(response.header("Location")).getPath();
            assertThat(location).startsWith(created(row.path(ids)));
            var shown = new HashMap<>(response.jsonPath().<String, Object>getMap("$"));
            // The only thing that is shown once.
            shown.remove("key");
            // A run is created with its ids alone: a schedule of runs has others.
            assertThat(api.get(location).jsonPath().getMap("$"))
                    .containsAllEntriesOf(shown)
                    .hasSize(row.route().equals("POST /workflows") ? 12 : shown.size());
        }
        if (document.operations().containsKey(row.route())) {
            assertThat(response.header("ETag") != null)
                    .isEqualTo(document.hasHeader(row.route(), row.status(), "ETag"));
        }
        assertThat(response.header("Idempotent-Replayed"))
                .isEqualTo(
                        List.of("POST /jobs", "POST /workflows").contains(row.route()) && row.status() == 200
                                ? "true"
                                : null);
    }

    @Test
    void everyRouteAsksForAKey() {
        for (var route : document.operations().keySet()) {
            if (route.startsWith("POST /callbacks/")) {
                continue;
            }
            var response = send(new Api(api.port(), "wrong"), ContractRow.of(route, "delayed", null, "401"), "{}");

            assertThat(response.statusCode()).as(route).isEqualTo(401);
            checkCommon(response, "UNAUTHORIZED");
        }
    }

    @Test
    void everyRouteWithABodyBoundsIt() {
        var large = "{\"name\": \"" + "x".repeat(1 << 20) + "\"}";
        for (var operation : document.operations().entrySet()) {
            if (operation.getValue().has("requestBody")) {
                var response = send(api, ContractRow.of(operation.getKey(), "delayed", null, "413"), large);

                assertThat(response.statusCode()).as(operation.getKey()).isEqualTo(413);
                checkCommon(response, "PAYLOAD_TOO_LARGE");
            }
        }
    }

    @Test
    void everyRouteAndEachOfItsErrorsHasARow() {
        var tested = new HashSet<String>(Set.of(FULL, SIGNALS, QUEUES));
        tested.addAll(FOLLOWED);
        tested.addAll(DEFERRED);
        tested.addAll(CLOCK);
        tested.addAll(RACES);
        Stream.of(rows(), dependents(), graphs(), conditional(), unknownParameters())
                .flatMap(Function.identity())
                .forEach(row -> tested.add((row.route() + " " + row.code()).strip()));
        var missing = new ArrayList<String>();
        document.operations().keySet().forEach(route -> {
            var codes = new HashSet<>(document.codes(route));
            codes.removeAll(ELSEWHERE);
            codes.removeAll(Set.of("UNAUTHORIZED", "PAYLOAD_TOO_LARGE"));
            codes.add("");
            codes.stream()
                    .map(code -> (route + " " + code).strip())
                    .filter(row -> !tested.contains(row))
                    .forEach(missing::add);
        });

        assertThat(missing).isEmpty();
    }

    @Test
    void noRowFailsInAWayThatTheDocumentDoesNotList() {
        assertThat(rows().filter(row -> !row.code().isEmpty()))
                .allSatisfy(row ->
                        assertThat(document.codes(row.route())).as(row.route()).contains(row.code()));
    }

    @Test
    void theProgramServesTheCommittedDocument() {
        var served = api.bare().get("/q/openapi?format=json");

        assertThat(served.statusCode()).isEqualTo(200);
        assertThat(ApiDocument.parse(served.asString())).isEqualTo(document.tree());
    }

    /** A name and a place in a list that hold a NUL, which the database would fail on. */
    @Test
    void nothingIsLookedForByATextWithANul() {
        var cursor = Base64.getUrlEncoder().encodeToString("2026-01-01T00:00:00Z a\0b".getBytes(UTF_8));
        var named = Stream.of(
                        "/configs",
                        "/secrets",
                        "/queues",
                        "/endpoints",
                        "/payload-specs",
                        "/jobs",
                        "/executions",
                        "/operations",
                        "/keys")
                .flatMap(path -> Stream.of(path + "/%00", path + "/a%00b"));
        var listed = Stream.of(
                        "/configs",
                        "/secrets",
                        "/queues",
                        "/endpoints",
                        "/payload-specs",
                        "/jobs",
                        "/executions",
                        "/operations",
                        "/keys",
                        "/audit")
                .map(path -> path + "?cursor=" + cursor);

        assertThat(Stream.of(named, listed, Stream.of("/jobs?endpoint=a%00", "/executions?tag=a%00"))
                        .flatMap(paths -> paths))
                .allSatisfy(path -> {
                    var response = api.request()
                            .urlEncodingEnabled(false)
                            .header("X-Request-Id", REQUEST_ID)
                            .get(path);
                    assertThat(response.statusCode()).isEqualTo(400);
                    checkCommon(response, "INVALID_REQUEST");
                });
    }

    @Test
    void thePageToTryTheApiOnIsForTheDevCommandAlone() {
        for (var path : List.of("/q/swagger-ui", "/q/swagger-ui/", "/q/swagger-ui/swagger-ui-bundle.js")) {
            assertThat(api.bare().get(path).statusCode()).as(path).isEqualTo(404);
        }
    }

    private static Response send(Api client, ContractRow row, @Nullable String body) {
        var request = client.request().header("X-Request-Id", REQUEST_ID).headers(row.headers());
        return (body == null ? request : request.contentType(ContentType.JSON).body(body))
                .request(row.method(), row.path(ids));
    }

    private static void checkCommon(Response response, String code) {
        assertThat(response.header("X-Request-Id")).isEqualTo(REQUEST_ID);
        if (response.statusCode() == 204 || response.statusCode() == 304) {
            assertThat(response.asString()).isEmpty();
            return;
        }
        assertThat(response.header("Content-Type")).isEqualToIgnoringCase("application/json;charset=UTF-8");
        if (!code.isEmpty()) {
            checkError(ApiDocument.parse(response.asString()), code);
        }
    }

    private static void checkError(JsonNode body, String code) {
        assertThat(names(body)).containsExactly("error");
        var error = body.path("error");
        assertThat(names(error))
                .isSubsetOf(names(document.tree().at("/components/schemas/ApiError/properties")))
                .startsWith("code", "message", "request_id");
        assertThat(error.path("code").textValue()).isEqualTo(code);
        assertThat(error.path("message").textValue()).isNotBlank();
        assertThat(error.path("request_id").textValue()).isEqualTo(REQUEST_ID);
        assertThat(error.path("replaced_by_id").asText("job_")).startsWith("job_");
        error.path("details").forEach(detail -> {
            assertThat(names(detail)).containsExactly("pointer", "message");
            assertThat(detail.path("pointer").textValue()).matches("(/.*)?");
            assertThat(detail.path("message").textValue()).isNotBlank();
        });
    }

    private static List<String> names(JsonNode object) {
        return object.propertyStream().map(Map.Entry::getKey).toList();
    }
}
