package io.taskexec.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.http.ContentType;
import io.restassured.path.json.JsonPath;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Program;
import io.taskexec.testing.Received;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests signatures, trace context and CloudEvents attributes of deliveries. */
@ServerTest
class SignedDeliveryIT {
    private static final Duration BOUND = Duration.ofSeconds(20);
    private static final String OLD_KEY = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    private static final String NEW_KEY = "whsec_plJ3nmyCDGBKInavdOK15jsl5plJ3nmy";
    private static final String PAIR =
            "whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dRqSKJp4AJ6p9lMicMFs6Kvg==";
    private static final String PUBLIC_KEY = "whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=";
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String PARENT = "00-" + TRACE + "-00f067aa0ba902b7-00";

    @Inject
    private static Receiver receiver;

    @Inject
    private static Api api;

    @TempDir
    private Path folder;

    @BeforeAll
    static void setUp() {
        api.secret("old", OLD_KEY);
        api.secret("new", NEW_KEY);
        api.secret("pair", PAIR);
    }

    @AfterEach
    void forget() {
        receiver.answer(Answer.of(200, "{}"));
        receiver.clear();
    }

    /** An endpoint of which {@code more} is what its spec has beside where it is. */
    private static String endpoint(String name, String more) {
        return """
                {"name": "%s", "type": "HTTP", "spec": {"url": "%s", "method": "POST", %s},
                 "retry_policy": {"max_attempts": 2, "initial_delay_ms": 1, "max_delay_ms": 1}}
                """.formatted(name, receiver.uri("/" + name), more);
    }

    private static String createIn(String parent, String path, Object body) {
        var response = api.request()
                .header("traceparent", parent)
                .header("tracestate", "rojo=1")
                .contentType(ContentType.JSON)
                .body(body)
                .post(path);
        assertThat(response.statusCode()).as(response.asString()).isBetween(200, 201);
        return response.asString();
    }

    /** As the specification describes it, without anything of ours. */
    private static String signature(String key, Received request) throws GeneralSecurityException {
        var mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(Base64.getDecoder().decode(key.substring("whsec_".length())), "HmacSHA256"));
        var content = request.header("webhook-id") + "." + request.header("webhook-timestamp") + "." + request.body();
        return "v1," + Base64.getEncoder().encodeToString(mac.doFinal(content.getBytes(UTF_8)));
    }

    private static String span(Received request, String trace, String flags) {
        var parent = String.valueOf(request.header("traceparent"));
        assertThat(parent).matches("00-" + trace + "-[0-9a-f]{16}-" + flags);
        return parent.substring(36, 52);
    }

    private int verify(String key, Received request) throws IOException, InterruptedException {
        var head = new StringBuilder("POST " + request.path() + " HTTP/1.1\r\n");
        request.headers().forEach((name, value) -> head.append(name + ": " + value + "\r\n"));
        var headers = Files.writeString(folder.resolve("headers"), head);
        var body = Files.writeString(folder.resolve("body"), request.body());
        var verify = Program.command("verify", "--headers=" + headers, "--body=" + body)
                .with("TE_WEBHOOK_SECRET", key)
                .run();
        assertThat(verify.output()).doesNotContain("Exception");
        return verify.awaitExit();
    }

    @Test
    void eachAttemptIsSignedWithBothSecretsWhileTheyAreExchanged() throws Exception {
        var _ = api.create("/endpoints", endpoint("rotating", """
                "body_template": {"text": "{{input.n}} ü €"}, "signing": {"secrets": ["new", "old"]}
                """));
        var statuses = List.of(503, 200).iterator();
        receiver.answer(_ -> Answer.of(statuses.next(), "{}"));
        var before = Instant.now().getEpochSecond();

        var executionId = api.immediate("rotating", "k");
        var _ = api.ended(executionId);

        var requests = receiver.awaitCount(2, BOUND);
        for (var request : requests) {
            assertThat(request.header("webhook-id")).isEqualTo(executionId);
            assertThat(Long.parseLong(String.valueOf(request.header("webhook-timestamp"))))
                    .isBetween(before, Instant.now().getEpochSecond());
            assertThat(request.header("webhook-signature"))
                    .isEqualTo(signature(NEW_KEY, request) + " " + signature(OLD_KEY, request));
        }
        assertThat(verify(OLD_KEY, requests.getFirst())).isZero();
        assertThat(verify("whsec_" + "b".repeat(32), requests.getFirst())).isEqualTo(1);
    }

    @Test
    void aPrivateKeySignsForWhoeverHasThePublicOne() throws Exception {
        var _ = api.create("/endpoints", """
                {"name": "bodyless", "type": "HTTP",
                 "spec": {"url": "%s", "method": "GET", "signing": {"secrets": ["pair"]}}}
                """.formatted(receiver.uri("/bodyless")));

        var _ = api.ended(api.immediate("bodyless", "k"));

        var request = receiver.awaitCount(1, BOUND).getFirst();
        assertThat(request.body()).isEmpty();
        assertThat(request.header("webhook-signature")).startsWith("v1a,");
        assertThat(verify(PUBLIC_KEY, request)).isZero();
    }

    @Test
    void anEndpointCannotBeRegisteredWithSecretsThatCannotSign() {
        api.secret("password", "hunter2-hunter2");

        var missing = api.post("/endpoints", endpoint("never", "\"signing\": {\"secrets\": [\"old\", \"nobodys\"]}"));
        assertThat(missing.statusCode()).isEqualTo(422);
        assertThat(missing.<String>path("error.code")).isEqualTo("TEMPLATE_RESOLUTION_FAILED");
        assertThat(missing.<String>path("error.message")).isEqualTo("There is no secret 'nobodys' to sign with.");
        assertThat(missing.<List<String>>path("error.details.pointer")).containsExactly("/spec/signing/secrets/1");

        var wrong = api.post("/endpoints", endpoint("never", "\"signing\": {\"secrets\": [\"password\"]}"));
        assertThat(wrong.statusCode()).isEqualTo(400);
        assertThat(wrong.<String>path("error.message"))
                .isEqualTo("The secret 'password' cannot sign: its value begins with none of whsec_, whsk_ and whpk_.");
        assertThat(wrong.<List<String>>path("error.details.pointer")).containsExactly("/spec/signing/secrets/0");
        assertThat(wrong.asString()).doesNotContain("hunter2");
        assertThat(api.get("/endpoints/never").statusCode()).isEqualTo(404);
    }

    @Test
    void aSecretThatSignsIsInUseAndMayTurnOutToBeNoneThatCan() throws InterruptedException {
        api.secret("changing", OLD_KEY);
        var _ = api.create("/endpoints", endpoint("changing", "\"signing\": {\"secrets\": [\"changing\"]}"));

        assertThat(api.delete("/secrets/changing").statusCode()).isEqualTo(409);

        var _ = api.update("/secrets/changing", Map.of("value", "whsec_hunter2"));
        var execution = api.ended(api.immediate("changing", "k"));

        assertThat(execution.getString("status")).isEqualTo("FAILED");
        assertThat(execution.getInt("attempt_count")).isEqualTo(1);
        assertThat(execution.getString("error.type")).isEqualTo("INVALID_CONFIGURATION");
        assertThat(execution.getString("error.message"))
                .startsWith("The secret 'changing' cannot sign: its value ")
                .doesNotContain("hunter2");
        assertThat(receiver.requests()).isEmpty();
    }

    @Test
    void aKeyThatComesBackIsTakenOut() throws InterruptedException {
        var _ = api.create("/endpoints", endpoint("parrot", "\"signing\": {\"secrets\": [\"old\"]}"));
        receiver.answer(Answer.of(200, "your key is " + OLD_KEY.substring("whsec_".length())));

        var execution = api.ended(api.immediate("parrot", "k"));

        assertThat(execution.getString("output.body")).isEqualTo("your key is [redacted]");
    }

    @Test
    void theTraceOfARequestGoesOnInAllThatBecomesOfIt() throws InterruptedException {
        var _ = api.create("/endpoints", endpoint("traced", "\"expected_status_codes\": [200]"));
        var statuses = List.of(503, 200, 200, 200).iterator();
        receiver.answer(_ -> Answer.of(statuses.next(), "{}"));

        var created = createIn(PARENT, "/jobs", Api.immediateJob("traced", "single"));
        var _ = receiver.awaitCount(2, BOUND);
        var _ = createIn(PARENT, "/jobs/batch", Map.of("jobs", List.of(Api.immediateJob("traced", "in a batch"))));
        var _ = receiver.awaitCount(3, BOUND);
        var schedule = createIn(PARENT, "/jobs", """
                {"endpoint": "traced", "trigger": "CRON", "cron": "0 0 1 1 *", "timezone": "UTC", "input": {"n": 1}}
                """);
        var _ = api.request().post("/jobs/" + jobId(schedule) + "/trigger");

        var requests = receiver.awaitCount(4, BOUND);
        assertThat(requests).extracting(request -> span(request, TRACE, "00")).doesNotHaveDuplicates();
        assertThat(requests).extracting(request -> request.header("tracestate")).containsOnly("rojo=1");
        assertThat(created).contains("\"trace_id\":\"" + TRACE + "\"");
        assertThat(api.read("/jobs/" + jobId(created)).getString("trace_id")).isEqualTo(TRACE);
        assertThat(api.read("/jobs/" + jobId(schedule)).getString("trace_id")).isEqualTo(TRACE);
        // A request that is repeated is the same one, whatever trace it is repeated in.
        var again = createIn(PARENT.replace("4bf92f", "000000"), "/jobs", Api.immediateJob("traced", "single"));
        assertThat(again).contains("\"trace_id\":\"" + TRACE + "\"");
    }

    private static String jobId(String job) {
        return JsonPath.from(job).getString("job_id");
    }

    @Test
    void aMalformedTraceIsIgnoredAndOneBegins() throws InterruptedException {
        var _ = api.create("/endpoints", endpoint("untraced", "\"expected_status_codes\": [200]"));

        var job = createIn(PARENT.toUpperCase(Locale.ROOT), "/jobs", Api.immediateJob("untraced", "k"));

        var request = receiver.awaitCount(1, BOUND).getFirst();
        var _ = span(request, jobId(job).substring("job_".length()), "01");
        assertThat(request.header("tracestate")).isNull();
        assertThat(job).doesNotContain("trace_id");
    }

    @Test
    void aDeliveryCanBeACloudEvent() throws InterruptedException {
        var _ = api.create("/endpoints", endpoint("events", """
                "body_template": {"n": 1}, "cloud_events": {"type": "com.example.größe 100%"}
                """));

        var executionId = api.immediate("events", "k");

        var request = receiver.awaitCount(1, BOUND).getFirst();
        assertThat(events(request, executionId)).isEqualTo("com.example.gr%C3%B6%C3%9Fe%20100%25");
        assertThat(request.header("ce-traceparent")).isEqualTo(request.header("traceparent"));
        assertThat(request.header("content-type")).isEqualTo("application/json");
        assertThat(request.header("webhook-id")).isNull();
        assertThat(api.read("/endpoints/events").getString("spec.cloud_events.type"))
                .isEqualTo("com.example.größe 100%");
    }

    private static @Nullable String events(Received request, String executionId) {
        assertThat(request.header("ce-specversion")).isEqualTo("1.0");
        assertThat(request.header("ce-id")).isEqualTo(executionId);
        assertThat(request.header("ce-source")).isEqualTo("/taskexec");
        assertThat(request.header("ce-subject")).isEqualTo(executionId.replace("exec_", "job_"));
        assertThat(request.header("ce-time")).isEqualTo(request.header("taskexec-scheduled-for"));
        return request.header("ce-type");
    }
}
