package io.taskexec.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.path.json.JsonPath;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Received;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs with targets in place of endpoints, and requests that wait for the end of their job. */
@ServerTest(env = {"TE_EGRESS_DENY_CIDRS=10.0.0.0/8", "TE_TARGET_SIGNING_SECRETS=target-key"})
class TargetIT {
    private static final Duration BOUND = Duration.ofSeconds(20);
    private static final String KEY = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    @Inject
    private static Receiver receiver;

    @Inject
    private static Api api;

    @Inject
    private static ServerDb db;

    @TempDir
    private Path folder;

    @BeforeAll
    static void setUp() {
        api.secret("target-key", "whsec_" + KEY);
    }

    @AfterEach
    void forget() {
        receiver.answer(Answer.of(200, "{}"));
        receiver.clear();
    }

    /** A job of which {@code more} is what it has beside its target. */
    private static String job(String key, String target, String more) {
        return "{\"idempotency_key\": \"%s\", \"target\": %s%s}".formatted(key, target, more);
    }

    private static String target(String path, String more) {
        return "{\"url\": \"%s\"%s}".formatted(receiver.uri("") + path, more);
    }

    private static Api with(String scope) {
        var name = "target-" + scope + "-" + System.nanoTime();
        var key = api.create("/keys", Map.of("name", name, "scopes", List.of(scope)));
        return new Api(api.port(), key.getString("key"));
    }

    private static void assertSigned(Received request) throws GeneralSecurityException {
        var mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(Base64.getDecoder().decode(KEY), "HmacSHA256"));
        var content = request.header("webhook-id") + "." + request.header("webhook-timestamp") + "." + request.body();
        assertThat(request.header("webhook-signature"))
                .isEqualTo("v1," + Base64.getEncoder().encodeToString(mac.doFinal(content.getBytes(UTF_8))));
    }

    @Test
    void oneRequestDeliversItsInputAndAnswersWithTheEnd() throws Exception {
        receiver.answer(Answer.of(201, "{\"sum\": 3}"));

        var job = api.create("/jobs?wait=PT20S", job("one", target("/one", ""), ", \"input\": {\"a\": [1, 2]}"));

        assertThat(job.getString("execution.status")).isEqualTo("SUCCESS");
        assertThat(job.getInt("execution.output.status_code")).isEqualTo(201);
        assertThat(job.getInt("execution.output.json.sum")).isEqualTo(3);
        assertThat(job.getString("status")).isEqualTo("RETIRED");
        assertThat(job.getString("target.url")).isEqualTo(receiver.uri("/one").toString());
        assertThat(job.getMap("$")).doesNotContainKeys("endpoint", "endpoint_version");
        var request = receiver.awaitCount(1, BOUND).getFirst();
        assertThat(request.method()).isEqualTo("POST");
        assertThat(request.body()).isEqualTo("{\"a\":[1,2]}");
        assertThat(request.header("content-type")).startsWith("application/json");
        assertSigned(request);
        var shown = api.read("/executions/" + job.getString("execution.execution_id"));
        assertThat(shown.getMap("$")).isEqualTo(job.getMap("execution"));
        var repeated = api.post("/jobs?wait=PT20S", job("one", target("/one", ""), ", \"input\": {\"a\": [1, 2]}"));
        assertThat(repeated.statusCode()).isEqualTo(200);
        assertThat(repeated.<Integer>path("execution.output.json.sum")).isEqualTo(3);
    }

    @Test
    void templatesRetriesAndCredentialsAreThoseOfTheTarget() throws Exception {
        var statuses = List.of(503, 418, 200).iterator();
        receiver.answer(_ -> Answer.of(statuses.next(), "{}"));

        var job = api.create(
                "/jobs?wait=PT20S",
                job(
                        "full",
                        target("/{{input.path}}?q={{input.q}}", """
                , "method": "PUT", "headers": {"Authorization": "Bearer {{input.token}}", "X-N": "{{input.n}}"},
                "body_template": {"n": "{{input.n}}", "job": "{{job.id}}"}, "timeout_ms": 5000,
                "expected_status_codes": [200], "cloud_events": {"type": "org.example.made"},
                "retry_policy": {"max_attempts": 3, "initial_delay_ms": 1, "max_delay_ms": 1, "retry_on": [418]}
                """),
                        ", \"input\": {\"path\": \"a b\", \"q\": \"x&y\", \"token\": \"t-1\", \"n\": 7}"));

        assertThat(job.getString("execution.status")).isEqualTo("SUCCESS");
        assertThat(job.getInt("execution.attempt_count")).isEqualTo(3);
        assertThat(job.getInt("execution.max_attempts")).isEqualTo(3);
        assertThat(job.getString("target.headers.Authorization")).isEqualTo("[redacted]");
        assertThat(job.getString("target.headers.X-N")).isEqualTo("{{input.n}}");
        var requests = receiver.awaitCount(3, BOUND);
        assertThat(requests).allSatisfy(request -> {
            assertThat(request.method()).isEqualTo("PUT");
            assertThat(request.path()).isEqualTo("/a%20b?q=x%26y");
            assertThat(request.header("authorization")).isEqualTo("Bearer t-1");
            assertThat(request.header("ce-type")).isEqualTo("org.example.made");
            assertThat(request.body()).isEqualTo("{\"n\":7,\"job\":\"%s\"}".formatted(job.getString("job_id")));
        });
        for (var request : requests) {
            assertSigned(request);
        }
        assertThat(api.get("/jobs/" + job.getString("job_id")).asString())
                .contains("[redacted]")
                .doesNotContain("Bearer");
    }

    @Test
    void aTargetThatRepeatsItsCredentialsDoesNotMakeThemKnown() {
        receiver.answer(request -> Answer.of(200, "{\"sent\": \"%s\"}".formatted(request.header("authorization"))));

        var job = api.create(
                "/jobs?wait=PT20S",
                job("echo", target("/echo", ", \"headers\": {\"Authorization\": \"Bearer s3cr3t-0815\"}"), ""));

        assertThat(job.getString("execution.output.json.sent")).isEqualTo("Bearer [redacted]");
        assertThat(api.get("/executions/" + job.getString("execution.execution_id"))
                        .asString())
                .doesNotContain("s3cr3t");
    }

    @Test
    void aTargetNeedsTheScopeAdhoc() {
        var jobs = with("jobs");
        var body = job("scope", target("/scope", ""), "");

        var refused = jobs.post("/jobs", body);
        assertThat(refused.statusCode()).isEqualTo(403);
        assertThat(refused.<String>path("error.message")).contains("'adhoc'");
        assertThat(refused.header("WWW-Authenticate")).contains("scope=\"adhoc\"");
        var batch = jobs.post("/jobs/batch", "{\"jobs\": [%s]}".formatted(body));
        assertThat(batch.<List<Integer>>path("items.status")).containsExactly(403);
        var adhoc = with("adhoc");
        var schedule = adhoc.create("/jobs", "{\"every\": \"P9D\", \"target\": %s}".formatted(target("/scope", "")));
        var patch = jobs.patch("/jobs/" + schedule.getString("job_id"), "{\"target\": {\"method\": \"PUT\"}}");
        assertThat(patch.statusCode()).isEqualTo(403);
        var later = adhoc.create("/jobs", job("later", target("/scope", ""), ", \"delay\": \"P9D\""));
        var byKey = "/endpoints/_target:http:%2F%2F127.0.0.1:" + receiver.port() + "/keys/later";
        var keyed = jobs.bare()
                .urlEncodingEnabled(false)
                .header("Authorization", "Bearer " + jobs.key())
                .contentType("application/merge-patch+json")
                .body("{\"target\": {\"method\": \"PUT\"}}")
                .patch(byKey);
        assertThat(keyed.statusCode()).as(keyed.asString()).isEqualTo(403);
        assertThat(api.read("/jobs/" + later.getString("job_id")).getInt("version"))
                .isEqualTo(1);
        var _ = api.act("/jobs/" + later.getString("job_id") + "/cancel");
        assertThat(adhoc.post("/jobs?wait=PT20S", body).statusCode()).isEqualTo(201);
        assertThat(adhoc.post("/configs", Map.of("name", "c", "values", Map.of()))
                        .statusCode())
                .isEqualTo(403);
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://10.1.2.3/", "http://169.254.169.254/latest", "https://a:b@example.org/"})
    void aTargetThatMayNotBeCalledIsRefused(String url) {
        var answer = api.post("/jobs", job("egress", "{\"url\": \"" + url + "\"}", ""));

        assertThat(answer.statusCode()).as(answer.asString()).isEqualTo(400);
        assertThat(answer.<List<String>>path("error.details.pointer")).containsExactly("/target/url");
    }

    @Test
    void aTargetUsesNoSecretAndIsNoEndpoint() {
        var answer =
                api.post("/jobs", job("secret", target("/", ", \"headers\": {\"A\": \"{{secret.target-key}}\"}"), ""));

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.<List<String>>path("error.details.pointer")).containsExactly("/target/headers/A");
        var _ = api.create("/jobs?wait=PT20S", job("hidden", target("/hidden", ""), ""));
        var name = "_target:http://127.0.0.1:" + receiver.port();
        assertThat(api.get("/endpoints").asString()).doesNotContain("_target");
        assertThat(api.request().get("/endpoints/{name}", name).statusCode()).isEqualTo(404);
        assertThat(api.request().get("/endpoints/{name}/breaker", name).statusCode())
                .isEqualTo(404);
        assertThat(api.request().delete("/endpoints/{name}", name).statusCode()).isEqualTo(404);
        assertThat(api.request().queryParam("endpoint", name).get("/executions").<List<?>>path("items"))
                .isNotEmpty();
    }

    @Test
    void theRequestOfATargetIsShownWithoutItsCredentials() {
        var more = ", \"headers\": {\"Authorization\": \"Bearer t-9\", \"X-N\": \"{{input.n}}\"}";
        var job = api.create(
                "/jobs?wait=PT20S",
                job("shown", target("/shown", more), ", \"timeout_ms\": 4321, \"input\": {\"n\": \"7\"}"));

        var request = api.read("/executions/" + job.getString("execution.execution_id") + "/request");

        assertThat(request.getString("url")).isEqualTo(receiver.uri("/shown").toString());
        assertThat(request.getString("body")).isEqualTo("{\"n\":\"7\"}");
        assertThat(request.getInt("timeout_ms")).isEqualTo(4321);
        assertThat(request.getMap("headers")).isEqualTo(Map.of("X-N", "7"));
        assertThat(request.getList("left_out")).isEqualTo(List.of("headers.Authorization"));
        assertThat(request.getList("signing_secrets")).isEqualTo(List.of("target-key"));
    }

    @Test
    void aFailingOriginHasABreakerOfItsOwnAndAnotherOneIsDelivered() throws Exception {
        try (var failing = new Receiver()) {
            failing.answer(Answer.of(503, "{}"));
            var jobs = IntStream.range(0, 60)
                    .mapToObj(i -> job("fail-" + i, "{\"url\": \"%s\"}".formatted(failing.uri("/" + i)), ""))
                    .toList();

            var batch = api.post("/jobs/batch", "{\"jobs\": %s}".formatted(jobs));

            assertThat(batch.<List<Integer>>path("items.status")).containsOnly(201);
            var open = Eventually.await(
                    "the breaker opens",
                    BOUND,
                    () -> db.texts("SELECT endpoint FROM breakers WHERE state <> 'CLOSED'"),
                    found -> !found.isEmpty());
            assertThat(open).containsExactly("_target:http://127.0.0.1:" + failing.port());
            var other = api.create("/jobs?wait=PT20S", job("other", target("/other", ""), ""));
            assertThat(other.getString("execution.status")).isEqualTo("SUCCESS");
        }
    }

    @Test
    void whatIsGoneDoesNotDisableItsOrigin() {
        receiver.answer(request -> Answer.of(request.path().equals("/gone") ? 410 : 200, "{}"));

        var gone = api.create("/jobs?wait=PT20S", job("gone", target("/gone", ""), ""));
        var there = api.create("/jobs?wait=PT20S", job("there", target("/there", ""), ""));

        assertThat(gone.getString("execution.status")).isEqualTo("FAILED");
        assertThat(gone.getInt("execution.error.status_code")).isEqualTo(410);
        assertThat(there.getString("execution.status")).isEqualTo("SUCCESS");
    }

    @Test
    void aRetryOfAnExecutionAndATickOfAScheduleGoToTheTarget() throws Exception {
        var job = api.create("/jobs?wait=PT20S", job("again", target("/again", ""), ", \"input\": 1"));
        var retry = api.create("/executions/" + job.getString("execution.execution_id") + "/retry", "");
        assertThat(api.ended(retry.getString("execution_id")).getString("status"))
                .isEqualTo("SUCCESS");
        var schedule = api.create(
                "/jobs", "{\"every\": \"P9D\", \"input\": 2, \"target\": %s}".formatted(target("/tick", "")));
        assertThat(schedule.getString("trigger")).isEqualTo("INTERVAL");
        var _ = api.create("/jobs/" + schedule.getString("job_id") + "/trigger", "");

        assertThat(receiver.awaitCount(3, BOUND))
                .extracting(request -> request.path() + " " + request.body())
                .containsExactlyInAnyOrder("/again 1", "/again 1", "/tick 2");
    }

    @Test
    void aChildWithATargetGetsTheResultsOfItsParents() throws Exception {
        receiver.answer(Answer.of(200, "{\"n\": 4}"));
        var parent = api.create("/jobs", job("parent", target("/parent", ""), ""));

        var child = api.create(
                "/jobs?wait=PT20S",
                job(
                        "child",
                        target("/child", ", \"body_template\": {\"n\": \"{{parents.p.output.json.n}}\"}"),
                        ", \"depends_on\": {\"p\": \"%s\"}".formatted(parent.getString("job_id"))));

        assertThat(child.getString("execution.status")).isEqualTo("SUCCESS");
        assertThat(receiver.awaitCount(2, BOUND).getLast().body()).isEqualTo("{\"n\":4}");
    }

    @Test
    void theCommandLineDeliversToAUrl() throws Exception {
        var cli = CliBed.in(folder, api);

        var output =
                cli.done("jobs", "create", "--to", receiver.uri("/cli").toString(), "--input", "{\"n\": 1}", "--wait");

        assertThat(output).contains("SUCCESS");
        assertThat(receiver.awaitCount(1, BOUND).getFirst().body()).isEqualTo("{\"n\":1}");
        assertThat(cli.done("jobs", "list")).contains("/cli");
        assertThat(cli.run("jobs", "create", "--to", "http://a/", "--endpoint", "a")
                        .code())
                .isEqualTo(2);
    }

    @Test
    void aRequestThatWaitsTooShortShowsThePresentState() throws Exception {
        var end = new CompletableFuture<Void>();
        receiver.answer(Answer.of(200, "{}").after(end));

        JsonPath job = api.create("/jobs?wait=PT0.3S", job("slow", target("/slow", ""), ""));

        assertThat(job.getString("execution.status")).isIn("QUEUED", "RUNNING");
        end.complete(null);
        var _ = api.ended(job.getString("execution.execution_id"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/jobs?wait=PT2M {\"endpoint\": \"a\"}",
                "/jobs?wait=soon {\"endpoint\": \"a\"}",
                "/jobs?wait=PT1S {\"endpoint\": \"a\", \"every\": \"PT1H\"}",
                "/jobs?wait=PT1S&dry_run=true {\"endpoint\": \"a\"}",
                "/jobs/batch?wait=PT1S {\"jobs\": []}"
            })
    void onlyTheEndOfOneJobCanBeWaitedFor(String request) {
        var parts = request.split(" ", 2);
        var answer = api.post(parts[0], parts[1]);

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.<String>path("error.message")).contains("wait");
    }
}
