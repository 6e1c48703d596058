package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Api;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Methods, authentication, spellings and hints: what clients and people expect of any HTTP API. */
@ServerTest(roles = "api")
class HttpConventionsIT {
    private static final List<String> METHODS = List.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE");

    @Inject
    private static Api api;

    @BeforeAll
    static void register() {
        api.endpoint("target", api.uri("/"), Map.of());
    }

    /** The methods of each path, as the document has them. */
    static Stream<Map.Entry<String, Set<String>>> paths() {
        var paths = new TreeMap<String, Set<String>>();
        for (var route : ApiDocument.read().operations().keySet()) {
            var parts = route.split(" ", 2);
            var methods = paths.computeIfAbsent(parts[1], _ -> new TreeSet<>(Set.of("OPTIONS")));
            methods.add(parts[0]);
            if (parts[0].equals("GET")) {
                methods.add("HEAD");
            }
        }
        return paths.entrySet().stream();
    }

    private static Set<String> allowed(String header) {
        return header == null ? Set.of() : new TreeSet<>(Arrays.asList(header.split(", ")));
    }

    @ParameterizedTest
    @MethodSource("paths")
    void optionsAndRefusalsNameTheMethodsOfAPath(Map.Entry<String, Set<String>> path) {
        var uri = path.getKey().replaceAll("\\{[a-z]+}", "some-name");

        var options = api.bare().options(uri);
        assertThat(options.statusCode()).as(uri).isEqualTo(204);
        assertThat(options.asString()).isEmpty();
        assertThat(allowed(options.header("Allow"))).isEqualTo(path.getValue());
        for (var method : METHODS) {
            if (!uri.equals("/events") || !path.getValue().contains(method)) {
                var answer = api.request().body("{}").request(method, uri);
                if (path.getValue().contains(method)) {
                    assertThat(answer.statusCode()).as(method + " " + uri).isNotEqualTo(405);
                } else {
                    assertThat(answer.statusCode()).as(method + " " + uri).isEqualTo(405);
                    assertThat(allowed(answer.header("Allow"))).isEqualTo(path.getValue());
                }
            }
        }
    }

    @Test
    void headIsAnsweredAsGetIsAlsoWhereEventsAreOff() {
        assertThat(api.get("/events").statusCode()).isEqualTo(409);
        assertThat(api.request().head("/events").statusCode()).isEqualTo(409);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/nothing", "/jobs/a/nothing", "/jobs/a/b/c", "/jobs%2Fa", "/job"})
    void optionsOfAPathThatIsNotThereAre404(String path) {
        assertThat(api.request().urlEncodingEnabled(false).options(path).statusCode())
                .as(path)
                .isEqualTo(404);
    }

    @Test
    void whoSendsNoKeyIsAskedForOne() {
        var answer = api.bare().get("/jobs");

        assertThat(answer.statusCode()).isEqualTo(401);
        assertThat(answer.header("WWW-Authenticate")).isEqualTo("Bearer");
        assertThat(api.bare().header("Authorization", "Basic dTpw").get("/jobs").header("WWW-Authenticate"))
                .isEqualTo("Bearer");
    }

    @ParameterizedTest
    @ValueSource(strings = {"wrong", "te_0123456789012345678901234567890123456789012"})
    void whoSendsAWrongKeyIsToldThatItIs(String key) {
        var answer = api.bare().header("Authorization", "Bearer " + key).get("/jobs");

        assertThat(answer.statusCode()).isEqualTo(401);
        assertThat(answer.header("WWW-Authenticate")).isEqualTo("Bearer error=\"invalid_token\"");
    }

    @Test
    void whoseKeyMayNotIsToldWhichScopeIsNeeded() {
        var key = api.create("/keys", Map.of("name", "reader", "scopes", List.of("read")))
                .getString("key");
        var answer = api.bare().header("Authorization", "Bearer " + key).get("/audit");

        assertThat(answer.statusCode()).isEqualTo(403);
        assertThat(answer.header("WWW-Authenticate")).isEqualTo("Bearer error=\"insufficient_scope\", scope=\"admin\"");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\0', textBlock = """
            /jobs?status=active | 'status' must be one of ACTIVE and RETIRED; did you mean ACTIVE?
            /jobs?trigger=corn | 'trigger' must be one of IMMEDIATE, DELAYED, CRON and INTERVAL; did you mean CRON?
            /executions?status=FAIL \
                | 'status' must be one of WAITING, PENDING, QUEUED, RUNNING, DEFERRED, RETRYING, SUCCESS, \
            FAILED, CANCELLED, EXPIRED, SKIPPED and SUPERSEDED; did you mean FAILED?
            /executions?retried=TRUE | 'retried' must be true or false.
            /events?type=io.taskexec.execution.FAILED | did you mean io.taskexec.execution.failed?
            """)
    void aValueOfAQueryIsNamedAsItMustBeWritten(String path, String message) {
        var answer = api.get(path);

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.<String>path("error.message")).endsWith(message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\0', textBlock = """
            /jobs | "trigger": "immediate" | /trigger \
                | must be one of IMMEDIATE, DELAYED, CRON and INTERVAL; did you mean IMMEDIATE?
            /jobs | "trigger": "cron", "cron": "@daily", "timezone": "UTC" | /trigger \
                | must be one of IMMEDIATE, DELAYED, CRON and INTERVAL; did you mean CRON?
            /jobs | "trigger": "INTERVAL", "every": "PT1H", "overlap": "skip" | /overlap \
                | must be one of ALLOW, SKIP and BUFFER_ONE; did you mean SKIP?
            /jobs | "trigger": "INTERVAL", "every": "PT1H", "catch_up": {"mode": "Latest"} | /catch_up/mode \
                | must be one of ALL, LATEST and NONE; did you mean LATEST?
            /endpoints | "type": "http" | /type | must be one of HTTP, KAFKA, REDIS_STREAM, \
            WORKFLOW, APPROVAL and WORKER; did you mean HTTP?
            /endpoints | "type": "HTTP", "spec": {"url": "http://a/", "method": "post"} | /spec/method \
                | must be one of GET, POST, PUT, PATCH and DELETE; did you mean POST?
            /endpoints \
                | "type": "HTTP", "spec": {"url": "http://a/", "method": "POST"}, "retry_policy": {"backoff": "FIXED"} \
                | /retry_policy/backoff | must be one of fixed, linear and exponential; did you mean fixed?
            /endpoints \
                | "type": "HTTP", "spec": {"url": "http://a/", "method": "POST", \
            "oauth2": {"token_url": "http://a/", "client_id": "a", "client_secret": "b", "auth": "Basic"}} \
                | /spec/oauth2/auth | must be one of basic and body; did you mean basic?
            /endpoints | "type": "KAFKA", "spec": {"bootstrap_servers": "a:1", "topic": "t", "acks": "ALL"} \
                | /spec/acks | must be one of the strings 0, 1 and all; did you mean all?
            /endpoints \
                | "type": "KAFKA", "spec": {"bootstrap_servers": "a:1", "topic": "t", "security": {"protocol": "SSL"}} \
                | /spec/security/protocol \
                | must be one of plaintext, ssl, sasl_plaintext and sasl_ssl; did you mean ssl?
            /endpoints \
                | "type": "KAFKA", "spec": {"bootstrap_servers": "a:1", "topic": "t", \
            "security": {"protocol": "sasl_ssl", "username": "a", "password": "b", "mechanism": "PLAIN"}} \
                | /spec/security/mechanism \
                | must be one of plain, scram-sha-256 and scram-sha-512; did you mean plain?
            /executions/bulk | "action": "RETRY" | /action | must be one of retry and cancel; did you mean retry?
            /executions/bulk | "action": "retry", "filter": {"status": "PENDING"} | /filter/status \
                | must be one of SUCCESS, FAILED, CANCELLED, EXPIRED, SKIPPED and SUPERSEDED for a retry
            /keys | "scopes": ["READ"] | /scopes | must be some of read, jobs, adhoc, work and admin; did you mean read?
            /schedules/preview | "cron": "@daily", "timezone": "UTC", "dst": {"gap": "skip"} | /dst/gap \
                | must be one of SHIFT and SKIP; did you mean SKIP?
            """)
    void aValueOfABodyIsNamedAsItMustBeWritten(String path, String fields, String pointer, String message) {
        var name = path.equals("/endpoints") || path.equals("/keys") ? "\"name\": \"new\", " : "";
        var job = path.equals("/jobs") ? "\"endpoint\": \"target\", \"idempotency_key\": \"a\", " : "";
        var answer = api.post(path, "{" + name + job + fields + "}");

        assertThat(answer.statusCode()).as(answer.asString()).isEqualTo(400);
        assertThat(answer.<String>path("error.details[0].pointer")).isEqualTo(pointer);
        assertThat(answer.<String>path("error.details[0].message")).isEqualTo(message);
        assertThat(answer.<List<Object>>path("error.details")).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\0', textBlock = """
            /jobs | "trigger": "CRON", "cron": "0 9 * *", "timezone": "UTC" | /cron | fields
            /jobs | "trigger": "CRON", "cron": "0 9 * * *", "timezone": "Europe/Belrin" | /timezone \
                | did you mean Europe/Berlin?
            /jobs | "trigger": "CRON", "cron": "0 9 * * *", "timezone": "europe/berlin" | /timezone \
                | did you mean Europe/Berlin?
            /jobs | "trigger": "CRON", "cron": "0 9 * * *", "timezone": "Berlin" | /timezone \
                | did you mean Europe/Berlin?
            /jobs | "trigger": "CRON", "cron": "0 9 * * *", "timezone": "Atlantis/Capital" | /timezone \
                | such as Europe/Berlin, or UTC
            /jobs | "trigger": "INTERVAL", "every": "PT0.5S" | /every | shorter than a second
            /jobs | "trigger": "INTERVAL", "every": "5 minutes" | /every | ISO-8601
            /jobs | "trigger": "CRON", "cron": "0 0 1 1 *", "timezone": "UTC", "ends_at": "2020-01-01T00:00:00Z" \
                | /ends_at | no tick before it ends
            /jobs | "trigger": "CRON", "cron": "0 0 31 2 *", "timezone": "UTC" | /cron |
            /schedules/preview | "cron": "0 9 * * 8", "timezone": "UTC" | /cron | '8'
            /schedules/preview | "cron": "0 9 * * *", "timezone": "America/New_Yrok" | /timezone \
                | did you mean America/New_York?
            /schedules/preview | "every": "PT0S" | /every | second
            """)
    void anInvalidScheduleHasAPointerToTheFieldThatIsWrong(String path, String fields, String pointer, String words) {
        var job = path.equals("/jobs") ? "\"endpoint\": \"target\", " : "";
        var answer = api.post(path, "{" + job + fields + "}");

        assertThat(answer.statusCode()).as(answer.asString()).isEqualTo(422);
        assertThat(answer.<String>path("error.code")).isEqualTo("INVALID_CRON");
        assertThat(answer.<List<String>>path("error.details.pointer")).containsExactly(pointer);
        assertThat(answer.<String>path("error.details[0].message")).contains(words == null ? "" : words);
    }

    @Test
    void anInvalidScheduleOfABatchPointsIntoTheBatch() {
        var answer = api.post("/jobs/batch", """
                {"jobs": [{"endpoint": "target", "trigger": "CRON", "cron": "a", "timezone": "UTC"}]}""");

        assertThat(answer.<List<String>>path("items[0].error.details.pointer")).containsExactly("/jobs/0/cron");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\0', textBlock = """
            "headers": {"X-Name": "{{config.a"} | 422 | /spec/headers/X-Name
            "headers": {"X-Good": "a", "X/Name": "{{nothing.a}}"} | 400 | /spec/headers/X~1Name
            "headers": {"X-Good": "a", "X-Name": "{{nothing.a}}"} | 422 | /spec/headers/X-Name
            "headers": {"X-Good": "a", "Host": "b"} | 400 | /spec/headers/Host
            "headers": {"X-Good": "a", "X-Name": 1} | 400 | /spec/headers/X-Name
            "headers": {"X-Good": "a", "X-Name": "\\u00e9"} | 400 | /spec/headers/X-Name
            "body_template": {"a": ["b", "{{config.a"]} | 422 | /spec/body_template/a/1
            """)
    void aTemplateThatIsWrongIsPointedAt(String fields, int status, String pointer) {
        var answer = api.post(
                "/endpoints",
                "{\"name\": \"new\", \"type\": \"HTTP\", \"spec\": {\"url\": \"http://a/\", \"method\": \"POST\", "
                        + fields + "}}");

        assertThat(answer.statusCode()).as(answer.asString()).isEqualTo(status);
        assertThat(answer.<List<String>>path("error.details.pointer")).containsExactly(pointer);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\0', textBlock = """
            "trigger": "DELAYED", "cron": "0 9 * * *", "timezone": "UTC", "delay": "PT1S" | /cron \
                | is only for the trigger CRON; DELAYED takes 'run_at' or 'delay'
            "trigger": "DELAYED", "cron": "0 9 * * *" | /cron \
                | is only for the trigger CRON; DELAYED takes 'run_at' or 'delay'
            "trigger": "IMMEDIATE", "every": "PT1H" | /every | is only for the trigger INTERVAL; IMMEDIATE takes no time
            "trigger": "IMMEDIATE", "delay": "PT1H" | /delay | is only for the trigger DELAYED; IMMEDIATE takes no time
            "trigger": "CRON", "cron": "@daily", "timezone": "UTC", "run_at": "2030-01-01T00:00:00Z" | /run_at \
                | is only for the trigger DELAYED; CRON takes 'cron' and 'timezone'
            "trigger": "CRON", "every": "PT1H" | /every \
                | is only for the trigger INTERVAL; CRON takes 'cron' and 'timezone'
            "trigger": "INTERVAL", "cron": "@daily" | /cron | is only for the trigger CRON; INTERVAL takes 'every'
            "trigger": "DELAYED", "run_at": 1893456000 | /run_at \
                | must be an ISO 8601 time with offset, such as 2026-03-15T18:00:00Z
            "trigger": "DELAYED", "delay": 60 | /delay \
                | must be an ISO 8601 duration that is not negative, such as PT15M
            "trigger": "IMMEDIATE", "imput": {} | /imput | is not a known field; did you mean input?
            "trigger": "IMMEDIATE", "payload": {} | /payload | is not a known field
            """)
    void aFieldThatDoesNotFitTheTriggerIsExplained(String fields, String pointer, String message) {
        var answer = api.post("/jobs", "{\"endpoint\": \"target\", \"idempotency_key\": \"k\", " + fields + "}");

        assertThat(answer.statusCode()).as(answer.asString()).isEqualTo(400);
        assertThat(answer.<String>path("error.details[0].pointer")).isEqualTo(pointer);
        assertThat(answer.<String>path("error.details[0].message")).isEqualTo(message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\0', textBlock = """
            "cron": "0 9 * * *", "timezone": "UTC" | CRON
            "every": "PT1H", "max_fires": 3 | INTERVAL
            "run_at": "2099-01-01T00:00:00Z", "idempotency_key": "inferred-1" | DELAYED
            "delay": "P36500D", "idempotency_key": "inferred-2" | DELAYED
            "trigger": null, "priority": 0, "idempotency_key": "inferred-3" | IMMEDIATE
            """)
    void aTriggerThatIsNotGivenFollowsFromTheOtherFields(String fields, String trigger) {
        var answer = api.post("/jobs", "{\"endpoint\": \"target\", " + fields + "}");

        assertThat(answer.statusCode()).as(answer.asString()).isEqualTo(201);
        assertThat(answer.<String>path("trigger")).isEqualTo(trigger);
    }

    @Test
    void aTriggerThatIsNotGivenIsThatOfTheDecidingFieldAndTheOthersAreRefused() {
        var answer = api.post("/jobs", """
                {"endpoint": "target", "cron": "0 9 * * *", "timezone": "UTC", "every": "PT1H"}""");

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.<List<String>>path("error.details.pointer")).containsExactly("/every");
    }
}
