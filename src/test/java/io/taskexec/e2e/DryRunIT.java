package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.response.Response;
import io.taskexec.testing.Api;
import io.taskexec.testing.ServerDb;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.net.URI;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests with {@code ?dry_run=true} are answered as if they were done, and nothing is. */
// Without workers nothing runs, and all stays as it is.
@ServerTest(roles = "api", env = "TE_DB_POOL_SIZE=2", own = "It looks at all rows of the database.")
class DryRunIT {
    private static final int CLIENTS = 10;
    private static final String HTTP =
            "\"type\": \"HTTP\", \"spec\": {\"url\": \"http://127.0.0.1:9/\", \"method\": \"POST\"}";
    private static final String EVERY = "\"trigger\": \"INTERVAL\", \"every\": \"PT1H\"";

    @Inject
    private static ServerDb db;

    @Inject
    private static Api api;

    private static String schedule = "";

    @BeforeAll
    static void setUp() {
        var _ = api.create("/payload-specs", "{\"name\": \"spec\", \"schema\": {\"type\": \"object\"}}");
        api.config("config", Map.of("a", 1));
        api.secret("secret", "hunter2-hunter2");
        api.endpoint("target", URI.create("http://127.0.0.1:9/"), Map.of());
        var _ = api.create(
                "/endpoints", "{\"name\": \"uses\", \"payload_spec\": \"spec\", \"config\": \"config\", " + HTTP + "}");
        var _ = api.create("/endpoints", "{\"name\": \"free\", " + HTTP + "}");
        schedule = api.create("/jobs", "{\"endpoint\": \"uses\", \"input\": {}, " + EVERY + "}")
                .getString("job_id");
        var _ = api.create("/jobs", Api.immediateJob("target", "taken"));
    }

    private static Set<String> rows() {
        return new ExpectedRows(db).actual();
    }

    private static Response send(String method, String path, String body) {
        var request = api.request().contentType("application/json");
        return (body.isEmpty() ? request : request.body(body)).request(method, path);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\'', textBlock = """
            POST   | /payload-specs      | {"name": "new", "schema": {}}                | 200 | version 1
            PUT    | /payload-specs/spec | {"schema": {}}                               | 200 | version 2
            DELETE | /payload-specs/spec |                                              | 409 | CONFLICT
            POST   | /payload-specs      | {"name": "spec", "schema": {}}               | 409 | CONFLICT
            POST   | /payload-specs      | {"name": "new", "schema": {"type": 1}}       | 422 | INVALID_SCHEMA
            POST   | /configs            | {"name": "new", "values": {}}                | 200 | version 1
            PUT    | /configs/config     | {"values": {}}                               | 200 | version 2
            PUT    | /configs/none       | {"values": {}}                               | 404 | CONFIG_NOT_FOUND
            DELETE | /configs/config     |                                              | 409 | CONFLICT
            POST   | /secrets            | {"name": "new", "value": "a"}                | 200 | version 1
            PUT    | /secrets/secret     | {"value": "a"}                               | 200 | version 2
            DELETE | /secrets/secret     |                                              | 204 |
            POST   | /endpoints          | {"name": "new", "queue": "new", HTTP}        | 200 | version 1
            PUT    | /endpoints/target   | {HTTP, "on_failure": "free"}                 | 200 | version 2
            POST   | /endpoints          | {"name": "new", "config": "none", HTTP}      | 422 | INVALID_CONFIG_REF
            POST   | /endpoints          | {"name": "new", "on_success": "none", HTTP}  | 404 | /on_success
            DELETE | /endpoints/free     |                                              | 204 |
            DELETE | /endpoints/uses     |                                              | 409 | CONFLICT
            POST   | /jobs               | {"endpoint": "target", "trigger": "IMMEDIATE", "idempotency_key": "new"} \
                | 200 | version 1
            POST   | /jobs               | {"endpoint": "target", "trigger": "IMMEDIATE", "idempotency_key": "taken"} \
                | 422 | IDEMPOTENCY_KEY_REUSED
            POST   | /jobs               | {"endpoint": "target", EVERY, "tags": ["a"], "idempotency_key": "new"} \
                | 200 | version 1
            POST   | /jobs               | {"endpoint": "uses", EVERY, "input": 1}      | 422 | INPUT_VALIDATION_FAILED
            PUT    | /jobs/SCHEDULE      | {"every": "PT2H", "input": {}}               | 200 | version 2
            PATCH  | /jobs/SCHEDULE      | {"every": "PT2H"}                            | 200 | version 2
            PATCH  | /jobs/SCHEDULE      | {"every": "PT0.1S"}                          | 422 | INVALID_CRON
            """)
    void aDryRunAnswersLikeTheRequestAndChangesNothing(
            String method, String path, String body, int status, String expected) {
        var before = rows();

        var answer = send(
                method,
                path.replace("SCHEDULE", schedule) + "?dry_run=true",
                body == null
                        ? ""
                        : body.replace("HTTP}", HTTP + "}")
                                .replace("HTTP,", HTTP + ",")
                                .replace("EVERY", EVERY));

        assertThat(answer.statusCode()).as(answer.asString()).isEqualTo(status);
        assertThat(answer.header("Location")).isNull();
        assertThat(answer.header("ETag")).isNull();
        if (expected != null && expected.startsWith("version")) {
            assertThat("version " + answer.path("version")).isEqualTo(expected);
        } else if (expected != null) {
            assertThat(answer.asString()).contains(expected);
        }
        assertThat(rows()).isEqualTo(before);
    }

    @Test
    void aPreconditionIsCheckedAndWhatWasTriedCanBeDone() {
        var stale = api.request().header("If-Match", "\"other\"").contentType("application/json");
        assertThat(stale.body("{\"values\": {}}")
                        .put("/configs/config?dry_run=true")
                        .statusCode())
                .isEqualTo(412);
        var job = Api.immediateJob("target", "tried");
        var tried = api.post("/jobs?dry_run=true", job);
        assertThat(tried.statusCode()).isEqualTo(200);
        assertThat(tried.header("Idempotent-Replayed")).isNull();
        assertThat(api.get("/jobs/" + tried.path("job_id")).statusCode()).isEqualTo(404);

        assertThat(api.post("/jobs", job).statusCode()).isEqualTo(201);
        var again = api.post("/jobs?dry_run=true", job);
        assertThat(again.statusCode()).isEqualTo(200);
        assertThat(again.header("Idempotent-Replayed")).isEqualTo("true");
    }

    @Test
    void dryRunsAtOnceDoNotWaitForTheConnectionsOfEachOther() throws InterruptedException {
        var job = Api.immediateJob("none", "none");

        try (var clients = Executors.newFixedThreadPool(CLIENTS)) {
            var answers = clients.invokeAll(Collections.nCopies(
                    CLIENTS, () -> api.post("/jobs?dry_run=true", job).statusCode()));

            assertThat(answers).extracting(Future::resultNow).containsOnly(404);
        }
    }

    @Test
    void aDryRunIsTrueOrFalse() {
        assertThat(send("POST", "/configs?dry_run=perhaps", "{\"name\": \"perhaps\", \"values\": {}}")
                        .statusCode())
                .isEqualTo(400);
        assertThat(send("POST", "/configs?dry_run=false", "{\"name\": \"really\", \"values\": {}}")
                        .statusCode())
                .isEqualTo(201);
        assertThat(api.read("/audit?kind=config").getList("items.resource")).contains("really");
    }
}
