package io.taskexec.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.restassured.http.ContentType;
import io.restassured.response.Response;
import io.taskexec.testing.Api;
import io.taskexec.testing.Program;
import io.taskexec.testing.ServerDb;
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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every operation and every error code of the API, one row each. */
class ContractIT {
    private static final String REQUEST_ID = "contract-1";
    private static final String HTTP =
            "\"type\": \"HTTP\", \"spec\": {\"url\": \"http://127.0.0.1:9/%s\", \"method\": \"POST\"}";
    private static final String SPEC = HTTP.formatted("x");
    private static final String INTERVAL = "\"trigger\": \"INTERVAL\", \"every\": \"PT1H\"";
    private static final String CRON =
            "\"trigger\": \"CRON\", \"cron\": \"0 9 * * MON\", \"timezone\": \"Europe/Berlin\"";

    /** Nothing that a single request does leads there: other tests do, or nothing ever should. */
    private static final Set<String> ELSEWHERE = Set.of("FORBIDDEN", "RATE_LIMITED", "INTERNAL_ERROR", "UNAVAILABLE");

    /** An endpoint that changes with every try of one request. */
    private static final String RACE = "POST /jobs CONFLICT";

    /** Too many operations that run, beside which none could be created: {@link DeadLettersIT} does that. */
    private static final String FULL = "POST /executions/bulk CONFLICT";

    /** An answer without an end, and one for which there must be events: {@link EventsIT} asks for both. */
    private static final Set<String> FOLLOWED = Set.of("GET /events", "GET /events EVENTS_GONE");

    private static final ApiDocument document = ApiDocument.read();
    // Without workers nothing runs, and all stays as the rows need it.
    private static final Program program = Program.serving(ServerDb.fresh(ContractIT.class))
            .with("TE_WRONG_KEYS_PER_MIN", "0")
            .with("TE_ROLES", "api")
            .start();
    private static final Api api = program.api();
    private static final Map<String, String> ids = new HashMap<>();

    /**
     * @param route as the document has it
     * @param at what stands for the parameter of the path, and the query
     * @param expected the status, and the code of an error
     * @param headers what is sent beside the usual
     */
    record Row(String route, String at, @Nullable String body, String expected, Map<String, String> headers) {
        Row with(String header, String value) {
            return new Row(route, at, body, expected, Map.of(header, value));
        }

        String method() {
            return route.substring(0, route.indexOf(' '));
        }

        String path() {
            var path = route.substring(route.indexOf(' ') + 1);
            var query = at.indexOf('?');
            var parameter = query < 0 ? at : at.substring(0, query);
            return path.replaceFirst("\\{\\w+}", ids.getOrDefault(parameter, parameter))
                    + (query < 0 ? "" : at.substring(query));
        }

        int status() {
            return Integer.parseInt(expected.substring(0, 3));
        }

        String code() {
            return expected.substring(3).strip();
        }

        @Override
        public String toString() {
            return route + " " + at + (headers.isEmpty() ? "" : " " + headers) + " -> " + expected;
        }
    }

    private static Row row(String route, String at, @Nullable String body, String expected) {
        return new Row(route, at, body, expected, Map.of());
    }

    private static Stream<Row> rows() {
        return Stream.of(
                row("POST /payload-specs", "", "{\"name\": \"new\", \"schema\": {}}", "201"),
                row("POST /payload-specs", "", "{\"name\": \"strict\", \"schema\": {}}", "409 CONFLICT"),
                row("POST /payload-specs", "", "{\"name\": \"No!\", \"schema\": {}}", "400 INVALID_REQUEST"),
                row("POST /payload-specs", "", "{\"name\": \"new\", \"schema\": {\"type\": 1}}", "422 INVALID_SCHEMA"),
                row("GET /payload-specs", "", null, "200"),
                row("GET /payload-specs", "?limit=0", null, "400 INVALID_REQUEST"),
                row("GET /payload-specs/{name}", "strict", null, "200"),
                row("GET /payload-specs/{name}", "none", null, "404 PAYLOAD_SPEC_NOT_FOUND"),
                row("PUT /payload-specs/{name}", "free", "{\"schema\": {}}", "200"),
                row("PUT /payload-specs/{name}", "free", "[]", "400 INVALID_REQUEST"),
                row("PUT /payload-specs/{name}", "none", "{\"schema\": {}}", "404 PAYLOAD_SPEC_NOT_FOUND"),
                row(
                        "PUT /payload-specs/{name}",
                        "free",
                        "{\"schema\": {\"$ref\": \"http://a/\"}}",
                        "422 INVALID_SCHEMA"),
                row("DELETE /payload-specs/{name}", "strict", null, "409 CONFLICT"),
                row("DELETE /payload-specs/{name}", "none", null, "404 PAYLOAD_SPEC_NOT_FOUND"),
                row("DELETE /payload-specs/{name}", "gone", null, "204"),
                row("POST /configs", "", "{\"name\": \"new\", \"values\": {\"a\": 1}}", "201"),
                row("POST /configs", "", "{\"name\": \"used\", \"values\": {}}", "409 CONFLICT"),
                row("POST /configs", "", "{\"name\": \"new2\", \"values\": {}, \"more\": 1}", "400 INVALID_REQUEST"),
                row("GET /configs", "?limit=1", null, "200"),
                row("GET /configs", "?cursor=nonsense", null, "400 INVALID_REQUEST"),
                row("GET /configs/{name}", "used", null, "200"),
                row("GET /configs/{name}", "none", null, "404 CONFIG_NOT_FOUND"),
                row("PUT /configs/{name}", "free", "{\"name\": \"free\", \"values\": {}}", "200"),
                row("PUT /configs/{name}", "free", "{\"name\": \"other\", \"values\": {}}", "400 INVALID_REQUEST"),
                row("PUT /configs/{name}", "none", "{\"values\": {}}", "404 CONFIG_NOT_FOUND"),
                row("DELETE /configs/{name}", "used", null, "409 CONFLICT"),
                row("DELETE /configs/{name}", "none", null, "404 CONFIG_NOT_FOUND"),
                row("DELETE /configs/{name}", "gone", null, "204"),
                row("POST /secrets", "", "{\"name\": \"NEW\", \"value\": \"v\"}", "201"),
                row("POST /secrets", "", "{\"name\": \"used\", \"value\": \"v\"}", "409 CONFLICT"),
                row("POST /secrets", "", "{\"name\": \"NEW\", \"value\": \"\"}", "400 INVALID_REQUEST"),
                row("GET /secrets", "", null, "200"),
                row("GET /secrets", "?limit=201", null, "400 INVALID_REQUEST"),
                row("GET /secrets/{name}", "used", null, "200"),
                row("GET /secrets/{name}", "none", null, "404 SECRET_NOT_FOUND"),
                row("PUT /secrets/{name}", "free", "{\"value\": \"w\"}", "200"),
                row("PUT /secrets/{name}", "free", "{\"value\": 1}", "400 INVALID_REQUEST"),
                row("PUT /secrets/{name}", "none", "{\"value\": \"w\"}", "404 SECRET_NOT_FOUND"),
                row("DELETE /secrets/{name}", "used", null, "409 CONFLICT"),
                row("DELETE /secrets/{name}", "none", null, "404 SECRET_NOT_FOUND"),
                row("DELETE /secrets/{name}", "gone", null, "204"),
                row("POST /endpoints", "", "{\"name\": \"new\", " + SPEC + "}", "201"),
                row("POST /endpoints", "", "{\"name\": \"target\", " + SPEC + "}", "409 CONFLICT"),
                row("POST /endpoints", "", "{\"name\": \"new2\"}", "400 INVALID_REQUEST"),
                row(
                        "POST /endpoints",
                        "",
                        "{\"name\": \"new2\", \"payload_spec\": \"none\", " + SPEC + "}",
                        "422 INVALID_PAYLOAD_SPEC_REF"),
                row(
                        "POST /endpoints",
                        "",
                        "{\"name\": \"new2\", \"config\": \"none\", " + SPEC + "}",
                        "422 INVALID_CONFIG_REF"),
                row(
                        "POST /endpoints",
                        "",
                        "{\"name\": \"new2\", " + HTTP.formatted("{{secret.none}}") + "}",
                        "422 TEMPLATE_RESOLUTION_FAILED"),
                row(
                        "POST /endpoints",
                        "",
                        "{\"name\": \"new2\", " + HTTP.formatted("{{env.HOME}}") + "}",
                        "422 TEMPLATE_RESOLUTION_FAILED"),
                row("GET /endpoints", "", null, "200"),
                row("GET /endpoints", "?limit=many", null, "400 INVALID_REQUEST"),
                row("GET /endpoints/{name}", "target", null, "200"),
                row("GET /endpoints/{name}", "none", null, "404 ENDPOINT_NOT_FOUND"),
                row("PUT /endpoints/{name}", "free", "{" + SPEC + "}", "200"),
                row("PUT /endpoints/{name}", "free", "{\"type\": \"FTP\", \"spec\": {}}", "400 INVALID_REQUEST"),
                row("PUT /endpoints/{name}", "none", "{" + SPEC + "}", "404 ENDPOINT_NOT_FOUND"),
                row(
                        "PUT /endpoints/{name}",
                        "free",
                        "{\"payload_spec\": \"none\", " + SPEC + "}",
                        "422 INVALID_PAYLOAD_SPEC_REF"),
                row("PUT /endpoints/{name}", "free", "{\"config\": \"none\", " + SPEC + "}", "422 INVALID_CONFIG_REF"),
                row(
                        "PUT /endpoints/{name}",
                        "free",
                        "{" + HTTP.formatted("{{config.a}}") + "}",
                        "422 TEMPLATE_RESOLUTION_FAILED"),
                row(
                        "PUT /endpoints/{name}",
                        "free",
                        "{\"config\": \"used\", " + HTTP.formatted("{{config.none}}") + "}",
                        "422 TEMPLATE_RESOLUTION_FAILED"),
                row("GET /endpoints/{name}/breaker", "target", null, "200"),
                row("GET /endpoints/{name}/breaker", "none", null, "404 ENDPOINT_NOT_FOUND"),
                row("POST /endpoints/{name}/enable", "target", null, "200"),
                row("POST /endpoints/{name}/enable", "none", null, "404 ENDPOINT_NOT_FOUND"),
                row("GET /events", "", null, "409 CONFLICT"),
                row("GET /events", "?type=none", null, "400 INVALID_REQUEST"),
                row("GET /endpoints/{name}/events", "target", null, "200"),
                row("GET /endpoints/{name}/events", "target?cursor=x", null, "400 INVALID_REQUEST"),
                row("GET /endpoints/{name}/events", "none", null, "404 ENDPOINT_NOT_FOUND"),
                row("DELETE /endpoints/{name}", "target", null, "409 CONFLICT"),
                row("DELETE /endpoints/{name}", "none", null, "404 ENDPOINT_NOT_FOUND"),
                row("DELETE /endpoints/{name}", "gone", null, "204"),
                row("POST /jobs", "", oneShot("target", "IMMEDIATE", "new", "1"), "201"),
                row("POST /jobs", "", "{\"endpoint\": \"target\", " + CRON + "}", "201"),
                row("POST /jobs", "", oneShot("target", "IMMEDIATE", "known", "1"), "200"),
                row("POST /jobs", "", oneShot("target", "IMMEDIATE", "known", "2"), "422 IDEMPOTENCY_KEY_REUSED"),
                row("POST /jobs", "", oneShot("target", "SOMETIMES", "other", "1"), "400 INVALID_REQUEST"),
                row("POST /jobs", "", "{\"endpoint\": \"target\"", "400 INVALID_REQUEST"),
                row("POST /jobs", "", oneShot("none", "IMMEDIATE", "other", "1"), "404 ENDPOINT_NOT_FOUND"),
                row("POST /jobs", "", oneShot("checked", "IMMEDIATE", "other", "1"), "422 INPUT_VALIDATION_FAILED"),
                row(
                        "POST /jobs",
                        "",
                        "{\"endpoint\": \"target\", " + CRON.replace("0 9", "0 99") + "}",
                        "422 INVALID_CRON"),
                row(
                        "POST /jobs",
                        "",
                        "{\"endpoint\": \"target\", " + CRON.replace("Berlin", "Nowhere") + "}",
                        "422 INVALID_CRON"),
                row(
                        "POST /jobs/batch",
                        "",
                        "{\"jobs\": [" + oneShot("target", "IMMEDIATE", "batch", "1") + ", 1]}",
                        "200"),
                row("POST /jobs/batch", "", "{\"jobs\": []}", "400 INVALID_REQUEST"),
                row("GET /jobs", "?limit=200", null, "200"),
                row("GET /jobs", "?limit=1.5", null, "400 INVALID_REQUEST"),
                row("GET /jobs/{id}", "delayed", null, "200"),
                row("GET /jobs/{id}", "cron", null, "200"),
                row("GET /jobs/{id}", "job_zz", null, "404 JOB_NOT_FOUND"),
                row("PUT /jobs/{id}", "cron", "{" + CRON + "}", "200"),
                row("PUT /jobs/{id}", "cron2", "{\"cron\": \"* * * * *\"}", "400 INVALID_REQUEST"),
                row("PUT /jobs/{id}", "job_zz", "{" + CRON + "}", "404 JOB_NOT_FOUND"),
                row("PUT /jobs/{id}", "delayed", "{" + CRON + "}", "409 JOB_NOT_UPDATABLE"),
                row("PUT /jobs/{id}", "retired", "{" + CRON + "}", "409 JOB_NOT_UPDATABLE"),
                row("PUT /jobs/{id}", "cron2", "{" + CRON.replace("MON", "MOON") + "}", "422 INVALID_CRON"),
                row("PUT /jobs/{id}", "checked-cron", "{" + CRON + ", \"input\": 1}", "422 INPUT_VALIDATION_FAILED"),
                row("PATCH /jobs/{id}", "cron3", "{\"priority\": 1}", "200"),
                row("PATCH /jobs/{id}", "cron2", "{\"cron\": null}", "400 INVALID_REQUEST"),
                row("PATCH /jobs/{id}", "job_zz", "{}", "404 JOB_NOT_FOUND"),
                row("PATCH /jobs/{id}", "delayed", "{\"priority\": 1}", "409 JOB_NOT_UPDATABLE"),
                row("PATCH /jobs/{id}", "retired", "{\"priority\": 1}", "409 JOB_NOT_UPDATABLE"),
                row("PATCH /jobs/{id}", "cron2", "{\"cron\": \"0 9 * * MOON\"}", "422 INVALID_CRON"),
                row("PATCH /jobs/{id}", "checked-cron", "{\"input\": 1}", "422 INPUT_VALIDATION_FAILED"),
                row("POST /jobs/{id}/cancel", "waiting", null, "200"),
                row("POST /jobs/{id}/cancel", "cron2", null, "200"),
                row("POST /jobs/{id}/cancel", "delayed?force=perhaps", null, "400 INVALID_REQUEST"),
                row("POST /jobs/{id}/cancel", "job_zz", null, "404 JOB_NOT_FOUND"),
                row("POST /jobs/{id}/cancel", "cancelled?force=true", null, "409 EXECUTION_NOT_CANCELLABLE"),
                row("GET /jobs/{id}/versions", "cron", null, "200"),
                row("GET /jobs/{id}/versions", "job_zz", null, "404 JOB_NOT_FOUND"),
                row("GET /jobs/{id}/executions", "delayed", null, "200"),
                row("GET /jobs/{id}/executions", "delayed?limit=-1", null, "400 INVALID_REQUEST"),
                row("GET /jobs/{id}/executions", "exec_zz", null, "404 JOB_NOT_FOUND"),
                row("GET /executions", "", null, "200"),
                row("GET /executions", "?status=CANCELLED&retried=false&queue=default&tag=none", null, "200"),
                row("GET /executions", "?error_type=BAD_LUCK", null, "400 INVALID_REQUEST"),
                row("GET /executions", "?error_type=TIMEOUT&status=SUCCESS", null, "400 INVALID_REQUEST"),
                row("GET /executions", "?retried=perhaps", null, "400 INVALID_REQUEST"),
                row("POST /executions/bulk", "", "{\"action\": \"retry\", \"dry_run\": true}", "200"),
                row("POST /executions/bulk", "", "{\"action\": \"retry\", \"max\": 5}", "201"),
                row("POST /executions/bulk", "", bulk("cancel", "\"endpoint\": \"none\""), "201"),
                row("POST /executions/bulk", "", "{\"action\": \"delete\"}", "400 INVALID_REQUEST"),
                row("POST /executions/bulk", "", bulk("retry", "\"status\": \"QUEUED\""), "400 INVALID_REQUEST"),
                row("POST /executions/bulk", "", bulk("retry", "\"stat\": \"FAILED\""), "400 INVALID_REQUEST"),
                row("POST /executions/bulk", "", bulk("cancel", "\"status\": \"RUNNING\""), "400 INVALID_REQUEST"),
                row("POST /executions/bulk", "", bulk("cancel", "\"retried\": true"), "400 INVALID_REQUEST"),
                row(
                        "POST /executions/bulk",
                        "",
                        bulk("retry", "\"status\": \"SUCCESS\", \"error_type\": \"TIMEOUT\""),
                        "400 INVALID_REQUEST"),
                row("POST /executions/bulk", "", "{\"action\": \"retry\", \"max\": 0}", "400 INVALID_REQUEST"),
                row("GET /operations", "", null, "200"),
                row("GET /operations", "?limit=0", null, "400 INVALID_REQUEST"),
                row("GET /operations/{id}", "running-operation", null, "200"),
                row("GET /operations/{id}", "op_zz", null, "404 OPERATION_NOT_FOUND"),
                row("POST /operations/{id}/cancel", "running-operation", null, "200"),
                row("POST /operations/{id}/cancel", "op_zz", null, "404 OPERATION_NOT_FOUND"),
                row("POST /operations/{id}/cancel", "cancelled-operation", null, "409 CONFLICT"),
                row("GET /executions/{id}", "delayed-execution", null, "200"),
                row("GET /executions/{id}", "job_zz", null, "404 EXECUTION_NOT_FOUND"),
                row("POST /executions/{id}/cancel", "waiting2-execution", null, "200"),
                row("POST /executions/{id}/cancel", "delayed-execution?force=1", null, "400 INVALID_REQUEST"),
                row("POST /executions/{id}/cancel", "exec_zz", null, "404 EXECUTION_NOT_FOUND"),
                row("POST /executions/{id}/cancel", "cancelled-execution", null, "409 EXECUTION_NOT_CANCELLABLE"),
                row("GET /executions/{id}/attempts", "delayed-execution", null, "200"),
                row("GET /executions/{id}/attempts", "exec_zz", null, "404 EXECUTION_NOT_FOUND"),
                row("GET /executions/{id}/logs", "cancelled-execution", null, "200"),
                row("GET /executions/{id}/logs", "exec_zz", null, "404 EXECUTION_NOT_FOUND"),
                row("POST /executions/{id}/retry", "cancelled-execution", null, "201"),
                row("POST /executions/{id}/retry", "exec_zz", null, "404 EXECUTION_NOT_FOUND"),
                row("POST /executions/{id}/retry", "delayed-execution", null, "409 CONFLICT"),
                row("GET /jobs/{id}/status", "cron", null, "200"),
                row("GET /jobs/{id}/status", "job_zz", null, "404 JOB_NOT_FOUND"),
                row("POST /jobs", "", "{\"endpoint\": \"target\", " + INTERVAL + "}", "201"),
                row(
                        "POST /jobs",
                        "",
                        "{\"endpoint\": \"target\", " + INTERVAL.replace("1H", "0S") + "}",
                        "422 INVALID_CRON"),
                row("PUT /jobs/{id}", "interval", "{" + INTERVAL.replace("1H", "2H") + "}", "200"),
                row("PUT /jobs/{id}", "checked-cron", "{" + INTERVAL + "}", "400 INVALID_REQUEST"),
                row("POST /jobs/{id}/pause", "checked-cron", null, "200"),
                row("POST /jobs/{id}/pause", "checked-cron", "{\"reason\": \"maintenance\"}", "200"),
                row(
                        "POST /jobs/{id}/pause",
                        "checked-cron",
                        "{\"until\": \"2020-01-01T00:00:00Z\"}",
                        "400 INVALID_REQUEST"),
                row("POST /jobs/{id}/pause", "job_zz", null, "404 JOB_NOT_FOUND"),
                row("POST /jobs/{id}/pause", "retired", null, "409 CONFLICT"),
                row("POST /jobs/{id}/resume", "checked-cron", null, "200"),
                row("POST /jobs/{id}/resume", "job_zz", null, "404 JOB_NOT_FOUND"),
                row("POST /jobs/{id}/resume", "delayed", null, "409 CONFLICT"),
                row("POST /jobs/{id}/trigger", "checked-cron", null, "201"),
                row("POST /jobs/{id}/trigger", "job_zz", null, "404 JOB_NOT_FOUND"),
                row("POST /jobs/{id}/trigger", "retired", null, "409 CONFLICT"),
                row("POST /jobs/{id}/backfill", "checked-cron", range("2026-01-01", "2026-02-01"), "200"),
                row(
                        "POST /jobs/{id}/backfill",
                        "checked-cron",
                        range("2026-02-01", "2026-01-01"),
                        "400 INVALID_REQUEST"),
                row(
                        "POST /jobs/{id}/backfill",
                        "checked-cron",
                        range("1900-01-01", "2026-01-01"),
                        "400 INVALID_REQUEST"),
                row("POST /jobs/{id}/backfill", "job_zz", range("2026-01-01", "2026-02-01"), "404 JOB_NOT_FOUND"),
                row("POST /jobs/{id}/backfill", "delayed", range("2026-01-01", "2026-02-01"), "409 CONFLICT"),
                row("GET /jobs/{id}/ticks", "checked-cron", null, "200"),
                row("GET /jobs/{id}/ticks", "checked-cron?outcome=GONE", null, "400 INVALID_REQUEST"),
                row("GET /jobs/{id}/ticks", "job_zz", null, "404 JOB_NOT_FOUND"),
                row("GET /jobs/{id}/ticks", "delayed", null, "409 CONFLICT"),
                row("GET /jobs/{id}/gaps", "checked-cron", null, "200"),
                row("GET /jobs/{id}/gaps", "checked-cron?from=noon", null, "400 INVALID_REQUEST"),
                row("GET /jobs/{id}/gaps", "job_zz", null, "404 JOB_NOT_FOUND"),
                row("GET /jobs/{id}/gaps", "delayed", null, "409 CONFLICT"),
                row("POST /schedules/preview", "", "{\"cron\": \"@daily\", \"timezone\": \"UTC\"}", "200"),
                row("POST /schedules/preview", "", "{\"every\": \"PT1H\"}", "200"),
                row("POST /schedules/preview", "", "{\"cron\": \"@daily\"}", "400 INVALID_REQUEST"),
                row("POST /schedules/preview", "", "{\"every\": \"PT0.5S\"}", "422 INVALID_CRON"),
                row("POST /keys", "", "{\"name\": \"ci\", \"scopes\": [\"read\"]}", "201"),
                row("POST /keys", "", "{\"name\": \"known\", \"scopes\": [\"read\"]}", "409 CONFLICT"),
                row("POST /keys", "", "{\"name\": \"x\", \"scopes\": [\"all\"]}", "400 INVALID_REQUEST"),
                row("GET /keys", "", null, "200"),
                row("GET /keys", "?limit=0", null, "400 INVALID_REQUEST"),
                row("GET /keys/{id}", "known-key", null, "200"),
                row("GET /keys/{id}", "none", null, "404 KEY_NOT_FOUND"),
                row("DELETE /keys/{id}", "revoked-key", null, "204"),
                row("DELETE /keys/{id}", "none", null, "404 KEY_NOT_FOUND"),
                row("GET /audit", "", null, "200"),
                row("GET /audit", "?limit=0", null, "400 INVALID_REQUEST"));
    }

    /** What no route answers. */
    private static Stream<Row> strays() {
        return Stream.of(
                row("GET /nothing", "", null, "404 NOT_FOUND"),
                row("GET /jobs/{id}/nothing", "delayed", null, "404 NOT_FOUND"),
                row("PATCH /jobs", "", "{}", "405 METHOD_NOT_ALLOWED"),
                row("DELETE /jobs/{id}", "delayed", null, "405 METHOD_NOT_ALLOWED"));
    }

    /** No route ignores a parameter that it does not have. */
    private static Stream<Row> unknownParameters() {
        return document.operations().keySet().stream()
                .map(route -> row(route, "delayed?unknown=1", "{}", "400 INVALID_REQUEST"));
    }

    @BeforeAll
    static void setUp() throws InterruptedException {
        program.awaitReady();
        for (var name : List.of("strict", "free", "gone")) {
            var _ = api.create("/payload-specs", "{\"name\": \"" + name + "\", \"schema\": {\"type\": \"object\"}}");
        }
        for (var name : List.of("used", "free", "gone")) {
            api.config(name, Map.of("a", 1));
            api.secret(name, "value");
        }
        var url = URI.create("http://127.0.0.1:9/");
        for (var name : List.of("target", "free", "gone")) {
            api.endpoint(name, url, Map.of());
        }
        var _ = api.create(
                "/endpoints",
                "{\"name\": \"checked\", \"payload_spec\": \"strict\", \"config\": \"used\", "
                        + HTTP.formatted("{{secret.used}}") + "}");
        for (var key : List.of("delayed", "waiting", "waiting2", "cancelled")) {
            oneShot(key);
        }
        var _ = api.create("/jobs", oneShot("target", "IMMEDIATE", "known", "1"));
        for (var name : List.of("cron", "cron2", "cron3", "retired")) {
            ids.put(
                    name,
                    api.create("/jobs", "{\"endpoint\": \"target\", " + CRON + "}")
                            .getString("job_id"));
        }
        var interval = api.create("/jobs", "{\"endpoint\": \"target\", " + INTERVAL + "}");
        ids.put("interval", interval.getString("job_id"));
        var checked = api.create("/jobs", "{\"endpoint\": \"checked\", " + CRON + "}");
        ids.put("checked-cron", checked.getString("job_id"));
        for (var name : List.of("running", "cancelled")) {
            var operation = api.create("/executions/bulk", "{\"action\": \"retry\"}");
            ids.put(name + "-operation", operation.getString("operation_id"));
        }
        var _ = api.act("/operations/" + ids.get("cancelled-operation") + "/cancel");
        var _ = api.act("/jobs/" + ids.get("retired") + "/cancel");
        var _ = api.act("/jobs/" + ids.get("cancelled") + "/cancel");
        for (var name : List.of("known", "revoked")) {
            var key = api.create("/keys", "{\"name\": \"" + name + "\", \"scopes\": [\"read\"]}");
            ids.put(name + "-key", key.getString("key_id"));
        }
    }

    /** Where what a route creates is to be found. */
    private static String created(String path) {
        return path.replaceFirst("/[^/]+/retry$", "")
                        .replaceFirst("^/executions/bulk$", "/operations")
                        .replaceFirst("^/jobs/[^/]+/trigger$", "/executions")
                + "/";
    }

    private static String bulk(String action, String filter) {
        return "{\"action\": \"%s\", \"filter\": {%s}}".formatted(action, filter);
    }

    private static String range(String from, String to) {
        return "{\"from\": \"%sT00:00:00Z\", \"to\": \"%sT00:00:00Z\"}".formatted(from, to);
    }

    private static void oneShot(String key) {
        var job = api.create(
                "/jobs", oneShot("target", "DELAYED", key, "1").replaceFirst("\\{", "{\"delay\": \"P1D\", "));
        ids.put(key, job.getString("job_id"));
        ids.put(key + "-execution", job.getString("execution.execution_id"));
    }

    private static String oneShot(String endpoint, String trigger, String key, String input) {
        return "{\"endpoint\": \"%s\", \"trigger\": \"%s\", \"idempotency_key\": \"%s\", \"input\": %s}"
                .formatted(endpoint, trigger, key, input);
    }

    @AfterAll
    static void stop() {
        program.close();
    }

    /** Reads and writes that depend on an entity tag. */
    private static Stream<Row> conditional() {
        var bodies = Map.of(
                "/payload-specs", "{\"schema\": {}}",
                "/configs", "{\"values\": {\"a\": 1}}",
                "/secrets", "{\"value\": \"w\"}",
                "/endpoints", "{" + SPEC + "}");
        return bodies.entrySet().stream().flatMap(noun -> {
            var route = noun.getKey() + "/{name}";
            return Stream.of(
                    row("GET " + route, "free", null, "304").with("If-None-Match", "*"),
                    row("GET " + route, "free", null, "200").with("If-None-Match", "\"other\""),
                    row("GET " + route, "free", null, "400 INVALID_REQUEST").with("If-None-Match", "other"),
                    row("PUT " + route, "free", noun.getValue(), "200").with("If-Match", "*"),
                    row("PUT " + route, "free", noun.getValue(), "412 PRECONDITION_FAILED")
                            .with("If-Match", "\"other\""),
                    row("DELETE " + route, "free", null, "412 PRECONDITION_FAILED")
                            .with("If-Match", "W/\"other\""),
                    row("DELETE " + route, "free", null, "400 INVALID_REQUEST").with("If-Match", "\"other"));
        });
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource({"rows", "conditional", "strays", "unknownParameters"})
    void isAnsweredAsTheContractSays(Row row) {
        var response = send(api, row, row.body());

        assertThat(response.statusCode()).as(response.asString()).isEqualTo(row.status());
        checkCommon(response, row.code());
        if (row.code().isEmpty()) {
            document.check(row.route(), row.status(), response.asString());
        }
        if (row.status() == 201) {
            var location = URI.create(response.header("Location")).getPath();
            assertThat(location).startsWith(created(row.path()));
            var shown = new HashMap<>(response.jsonPath().<String, Object>getMap("$"));
            // The only thing that is shown once.
            shown.remove("key");
            assertThat(api.get(location).jsonPath().getMap("$")).isEqualTo(shown);
        }
        if (document.operations().containsKey(row.route())) {
            assertThat(response.header("ETag") != null)
                    .isEqualTo(document.hasHeader(row.route(), row.status(), "ETag"));
        }
        assertThat(response.header("Idempotent-Replayed"))
                .isEqualTo(row.route().equals("POST /jobs") && row.status() == 200 ? "true" : null);
    }

    @Test
    void everyRouteAsksForAKey() {
        for (var route : document.operations().keySet()) {
            var response = send(new Api(api.port(), "wrong"), row(route, "delayed", null, "401"), "{}");

            assertThat(response.statusCode()).as(route).isEqualTo(401);
            checkCommon(response, "UNAUTHORIZED");
        }
    }

    @Test
    void everyRouteWithABodyBoundsIt() {
        var large = "{\"name\": \"" + "x".repeat(1 << 20) + "\"}";
        for (var operation : document.operations().entrySet()) {
            if (operation.getValue().has("requestBody")) {
                var response = send(api, row(operation.getKey(), "delayed", null, "413"), large);

                assertThat(response.statusCode()).as(operation.getKey()).isEqualTo(413);
                checkCommon(response, "PAYLOAD_TOO_LARGE");
            }
        }
    }

    @Test
    void everyRouteAndEachOfItsErrorsHasARow() {
        var tested = new HashSet<String>(Set.of(RACE, FULL));
        tested.addAll(FOLLOWED);
        Stream.of(rows(), conditional(), unknownParameters())
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

    private static Response send(Api client, Row row, @Nullable String body) {
        var request = client.request().header("X-Request-Id", REQUEST_ID).headers(row.headers());
        return (body == null ? request : request.contentType(ContentType.JSON).body(body))
                .request(row.method(), row.path());
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
                .isSubsetOf("code", "message", "request_id", "details")
                .startsWith("code", "message", "request_id");
        assertThat(error.path("code").textValue()).isEqualTo(code);
        assertThat(error.path("message").textValue()).isNotBlank();
        assertThat(error.path("request_id").textValue()).isEqualTo(REQUEST_ID);
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
