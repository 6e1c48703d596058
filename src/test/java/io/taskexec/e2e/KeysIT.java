package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.http.ContentType;
import io.restassured.response.Response;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Program;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** API keys, what they may do, and the audit log. The setting of the command line does not disturb a server. */
@ServerTest(env = "TE_TOKEN=te_none", own = "It looks at the log and at the keys in the database.")
class KeysIT {
    /** A process remembers a key for 10 s; the rest is for a busy machine. */
    private static final Duration CACHE_BOUND = Duration.ofSeconds(25);

    @Inject
    private static Receiver receiver;

    @Inject
    private static ServerDb db;

    @Inject
    private static Program program;

    @Inject
    private static Api admin;

    private static final Map<String, String> keys = new ConcurrentHashMap<>();

    @BeforeAll
    static void setUp() {
        admin.endpoint("target", receiver.uri("/"), Map.of("max_attempts", 1));
        for (var scope : List.of("read", "jobs", "admin")) {
            var _ = create("table-" + scope, scope);
        }
    }

    private static Response create(String name, String scope) {
        var response = admin.post("/keys", Map.of("name", name, "scopes", List.of(scope)));
        assertThat(response.statusCode()).as(response.asString()).isEqualTo(201);
        keys.put(name, response.path("key"));
        return response;
    }

    private static Api with(String key) {
        return new Api(admin.port(), key);
    }

    private static int status(String key) {
        return with(key).get("/jobs").statusCode();
    }

    @Test
    void aKeyIsShownOnceAndWorksAtOnce() {
        var created = create("once", "read");
        String id = created.path("key_id");
        String key = created.path("key");

        assertThat(key).matches("te_[0-9A-Za-z]{43}");
        assertThat(created.header("Location")).endsWith("/keys/" + id);
        assertThat(created.<List<String>>path("scopes")).containsExactly("read");
        assertThat(status(key)).isEqualTo(200);
        assertThat(admin.get("/keys").asString()).contains(id).doesNotContain(key, "\"key\"", "fingerprint");
        assertThat(admin.read("/keys/" + id).getMap("$")).doesNotContainKeys("key", "expires_at", "revoked_at");
        assertThat(db.texts("SELECT k::text FROM api_keys k")).noneMatch(row -> row.contains(key));
    }

    @Test
    void theLastUseIsShown() throws InterruptedException {
        var created = create("used", "read");
        assertThat(status(created.path("key"))).isEqualTo(200);

        var _ = Eventually.await(
                "the last use",
                CACHE_BOUND,
                () -> admin.read("/keys/" + created.path("key_id")).getString("last_used_at"),
                time -> time != null);
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            GET,    /payload-specs,        200
            GET,    /configs,              200
            GET,    /secrets,              200
            GET,    /endpoints/target,     200
            GET,    /jobs,                 200
            GET,    /executions/exec_1,    404
            GET,    /keys,                 403
            GET,    /keys/,                403
            GET,    //keys,                403
            GET,    /%6beys,               403
            GET,    /keys;a=b,             400
            HEAD,   /keys,                 403
            GET,    /keys/key_1,           403
            GET,    /audit,                403
            POST,   /jobs,                 403
            POST,   /jobs/batch,           403
            PUT,    /jobs/job_1,           403
            PATCH,  /jobs/job_1,           403
            POST,   /jobs/job_1/cancel,    403
            POST,   /executions/e/cancel,  403
            POST,   /configs,              403
            POST,   /schedules/preview,    400
            """)
    void aKeyToReadMayNotWrite(String method, String path, int expected) {
        assertAnswer("read", method, path, expected);
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            GET,    /endpoints,            200
            POST,   /jobs,                 400
            POST,   /jobs/batch,           400
            PUT,    /jobs/job_1,           404
            PATCH,  /jobs/job_1,           404
            POST,   /jobs/job_1/cancel,    404
            POST,   /executions/e/cancel,  404
            POST,   /payload-specs,        403
            POST,   /configs,              403
            PUT,    /configs/c,            403
            DELETE, /configs/c,            403
            POST,   /secrets,              403
            PUT,    /secrets/s,            403
            DELETE, /endpoints/target,     403
            GET,    /keys,                 403
            POST,   /keys,                 403
            DELETE, /keys/key_1,           403
            GET,    /audit,                403
            """)
    void aKeyForJobsMayNotConfigure(String method, String path, int expected) {
        assertAnswer("jobs", method, path, expected);
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            POST,   /configs,              400
            GET,    /audit,                200
            GET,    /keys,                 200
            DELETE, /keys/key_1,           404
            DELETE, /keys/%00,             400
            GET,    /audit?actor=%00,      400
            """)
    void aKeyForAdministratorsMayDoEverything(String method, String path, int expected) {
        assertAnswer("admin", method, path, expected);
    }

    private static void assertAnswer(String scope, String method, String path, int expected) {
        var response = with(keys.getOrDefault("table-" + scope, ""))
                .request()
                .urlEncodingEnabled(false)
                .contentType(ContentType.JSON)
                .body("POST PUT PATCH".contains(method) ? "{}" : "")
                .request(method, path);

        // What is not found at all needs no scope: there is nothing to be protected.
        if (expected == 403 && response.statusCode() == 404) {
            assertThat(response.<String>path("error.code")).isEqualTo("NOT_FOUND");
            return;
        }
        assertThat(response.statusCode()).as(response.asString()).isEqualTo(expected);
        if (expected == 403 && !method.equals("HEAD")) {
            assertThat(response.<String>path("error.code")).isEqualTo("FORBIDDEN");
        }
    }

    @Test
    void theBootstrapKeyMayDoEverything() {
        assertThat(admin.get("/audit").statusCode()).isEqualTo(200);
    }

    @Test
    void anUnknownKeyIsUnauthorizedWhateverItAsksFor() {
        for (var key : List.of("te_" + "0".repeat(43), "wrong", "te_")) {
            var response = with(key).get("/keys");
            assertThat(response.statusCode()).isEqualTo(401);
            assertThat(response.<String>path("error.code")).isEqualTo("UNAUTHORIZED");
        }
    }

    @Test
    void anExpiredKeyIsUnauthorized() throws InterruptedException {
        var created = admin.create("/keys", """
                {"name": "short", "scopes": ["read"], "expires_in": "P30D"}
                """);
        var key = created.getString("key");
        assertThat(created.getString("expires_at")).isNotNull();
        assertThat(status(key)).isEqualTo(200);

        db.execute("UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE name = 'short'");

        Eventually.await("the key has expired", CACHE_BOUND, () -> status(key) == 401);
    }

    @Test
    void aRevokedKeyIsRefusedAtOnceHereAndSoonElsewhere() throws InterruptedException {
        try (var other = Program.serving(db).startReady()) {
            var created = create("revoked", "read");
            String key = created.path("key");
            var elsewhere = new Api(other.apiPort(), key);
            assertThat(status(key)).isEqualTo(200);
            assertThat(elsewhere.get("/jobs").statusCode()).isEqualTo(200);

            var response = admin.delete("/keys/" + created.path("key_id"));

            assertThat(response.statusCode()).isEqualTo(204);
            assertThat(status(key)).isEqualTo(401);
            Eventually.await(
                    "refused elsewhere",
                    CACHE_BOUND,
                    () -> elsewhere.get("/jobs").statusCode() == 401);
            assertThat(admin.read("/keys/" + created.path("key_id")).getString("revoked_at"))
                    .isNotNull();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}                                                                  | /name",
                "{\"name\": \"x\"}                                                   | /scopes",
                "{\"name\": \"x\", \"scopes\": []}                                   | /scopes",
                "{\"name\": \"x\", \"scopes\": [\"root\"]}                           | /scopes",
                "{\"name\": \"x\", \"scopes\": [1]}                                  | /scopes",
                "{\"name\": \"bootstrap\", \"scopes\": [\"read\"]}                   | /name",
                "{\"name\": \"x\", \"scopes\": [\"read\"], \"expires_in\": \"PT0S\"} | /expires_in",
                "{\"name\": \"x\", \"scopes\": [\"read\"], \"expires_in\": \"P9999D\"} | /expires_in",
                "{\"name\": \"x\", \"scopes\": [\"read\"], \"expires_in\": \"soon\"} | /expires_in",
                "{\"name\": \"x\", \"scopes\": [\"read\"], \"key\": \"te_mine\"}     | /key",
            })
    void whatIsWrongWithARequestIsNamed(String body, String pointer) {
        var response = admin.post("/keys", body);

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.<List<String>>path("error.details.pointer")).contains(pointer);
    }

    @Test
    void aNameIsTakenUntilItsKeyIsRevoked() {
        var first = create("taken", "read");

        assertThat(admin.post("/keys", "{\"name\": \"taken\", \"scopes\": [\"read\"]}")
                        .statusCode())
                .isEqualTo(409);
        assertThat(admin.delete("/keys/" + first.path("key_id")).statusCode()).isEqualTo(204);

        assertThat(create("taken", "read").<String>path("key_id")).isNotEqualTo(first.path("key_id"));
    }

    @Test
    void everyWriteIsInTheAuditLogAndNoSecretIs() {
        var created = create("auditor", "admin");
        var auditor = with(created.path("key"));
        auditor.config("audited", Map.of("a", "swordfish-config"));
        assertThat(auditor.put("/configs/audited", "{\"values\": {}}").statusCode())
                .isEqualTo(200);
        assertThat(auditor.put("/configs/missing", "{\"values\": {}}").statusCode())
                .isEqualTo(404);
        auditor.secret("audited", "swordfish-secret");
        assertThat(auditor.delete("/configs/audited").statusCode()).isEqualTo(204);
        var cron = auditor.create("/jobs", """
                {"endpoint": "target", "trigger": "CRON", "cron": "0 9 * * *", "timezone": "UTC", "input": {"n": 1}}
                """).getString("job_id");
        var next = auditor.update("/jobs/" + cron, """
                {"cron": "0 8 * * *", "timezone": "UTC", "input": {"n": 1}}
                """).getString("job_id");
        var cancel = auditor.request().header("X-Request-Id", "mine-1").post("/jobs/" + next + "/cancel");
        assertThat(cancel.statusCode()).isEqualTo(200);

        var log = auditor.read("/audit?actor=auditor");

        assertThat(log.<String>getList("items.action"))
                .containsExactly("cancel", "update", "delete", "create", "update", "create");
        assertThat(log.<String>getList("items.kind"))
                .containsExactly("job", "job", "config", "secret", "config", "config");
        assertThat(log.<String>getList("items.resource"))
                .containsExactly(next, cron, "audited", "audited", "audited", "audited");
        assertThat(log.getString("items[0].request_id")).isEqualTo("mine-1");
        assertThat(log.<String>getList("items.remote_address")).containsOnly("127.0.0.1");
        assertThat(log.<String>getList("items.details.key_id")).containsOnly(created.<String>path("key_id"));
        assertThat(auditor.read("/audit?actor=auditor&kind=secret").getList("items"))
                .hasSize(1);
        var page = auditor.read("/audit?actor=auditor&limit=4");
        assertThat(auditor.read("/audit?actor=auditor&limit=4&cursor=" + page.getString("cursor"))
                        .<String>getList("items.action"))
                .containsExactly("update", "create");
        assertThat(admin.read("/audit?actor=bootstrap&kind=key").<String>getList("items.resource"))
                .contains(created.<String>path("key_id"));
        assertThat(db.texts("SELECT a::text FROM audit_log a"))
                .noneMatch(row -> row.contains("swordfish") || row.contains("te_"));
    }

    @Test
    void theAuditLogFailsNoRequest() {
        db.execute("ALTER TABLE audit_log RENAME TO audit_log_away");
        String requestId;
        try {
            var created = admin.post("/configs", "{\"name\": \"unaudited\", \"values\": {}}");
            assertThat(created.statusCode()).isEqualTo(201);
            requestId = created.header("X-Request-Id");
        } finally {
            db.execute("ALTER TABLE audit_log_away RENAME TO audit_log");
        }
        assertThat(program.log())
                .filteredOn(line -> line.path("message").asText().startsWith("not in the audit log"))
                .singleElement()
                .satisfies(line -> {
                    assertThat(line.path("message").asText()).contains("unaudited");
                    assertThat(line.path("level").asText()).isEqualTo("ERROR");
                    assertThat(line.path("mdc").path("request_id").asText()).isEqualTo(requestId);
                    assertThat(line.path("stackTrace").asText()).contains("audit_log");
                });
    }

    @Test
    void theCommandLineCreatesListsAndRevokesKeys(@TempDir Path directory) throws InterruptedException, IOException {
        var created = command("keys", "create", "--name", "from-cli", "--scopes", "read,jobs", "--expires-in", "1d");
        assertThat(created.awaitExit()).as(created.output()).isZero();
        var key = created.out().strip();
        assertThat(key).matches("te_[0-9A-Za-z]{43}");
        assertThat(created.err()).contains("key_", "'from-cli'", "expires at").doesNotContain(key);
        assertThat(status(key)).isEqualTo(200);

        var file = Files.writeString(directory.resolve("token"), Program.API_KEY + "\n");
        var listed = Program.command(
                        "keys", "list", "--url", admin.uri("/").toString(), "--token-file", file.toString())
                .run();
        assertThat(listed.awaitExit()).as(listed.output()).isZero();
        var line = listed.out()
                .lines()
                .filter(found -> found.contains("from-cli"))
                .findFirst()
                .orElseThrow();
        assertThat(line).contains("read,jobs", "in 23h");
        assertThat(listed.out()).doesNotContain(key);

        var id = line.substring(0, line.indexOf(' '));
        var revoked = command("keys", "revoke", id);
        assertThat(revoked.awaitExit()).as(revoked.output()).isZero();
        assertThat(status(key)).isEqualTo(401);
    }

    @Test
    void theCommandLineSaysWhyNothingHappened() throws InterruptedException {
        var gone = command("keys", "revoke", "key_00000000000");
        assertThat(gone.awaitExit()).isEqualTo(1);
        assertThat(gone.err()).contains("does not exist", "KEY_NOT_FOUND");

        var forbidden = Program.command("keys", "list")
                .with("TE_URL", admin.uri("").toString())
                .with("TE_TOKEN", keys.getOrDefault("table-read", ""))
                .run();
        assertThat(forbidden.awaitExit()).isEqualTo(1);
        assertThat(forbidden.err()).contains("scope 'admin'", "FORBIDDEN");

        var nobody = Program.command("keys", "list")
                .with("TE_URL", "http://127.0.0.1:" + Program.freePort())
                .with("TE_TOKEN", "te_x")
                .run();
        assertThat(nobody.awaitExit()).isEqualTo(4);
        assertThat(nobody.err()).contains("cannot connect").doesNotContain("Exception", "\tat ");
    }

    private static Program command(String... arguments) throws InterruptedException {
        return Program.command(arguments)
                .with("TE_URL", admin.uri("").toString())
                .with("TE_TOKEN", Program.API_KEY)
                .run();
    }
}
