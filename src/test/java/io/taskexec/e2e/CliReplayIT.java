package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.Json;
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
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code taskexec replay}: recorded by one server, sent to another receiver with the secrets of {@code dev}. */
@ServerTest(env = CliBed.EVENTS)
class CliReplayIT {
    private static final String SERVER_SECRET = "swordfish-of-the-server";
    private static final String LOCAL_SECRET = "swordfish-of-the-laptop";
    private static final String SIGNING = "whsec_c2lnbmluZy1rZXktb2YtMzItYnl0ZXMtISEhISEhISE=";

    @Inject
    private static Api api;

    @Inject
    private static Receiver receiver;

    @TempDir
    private static Path folder;

    private static CliBed cli;

    @BeforeAll
    static void setUp() throws IOException {
        cli = CliBed.in(folder, api);
    }

    /** An execution that has failed with 503 at its first attempt, and then succeeded. */
    private static String executionOf(String name) throws InterruptedException {
        api.secret(name + "-key", SERVER_SECRET);
        api.secret(name + "-signing", SIGNING);
        api.config(name, Map.of("kind", "first"));
        receiver.answer(
                request -> request.path().startsWith("/" + name) && "1".equals(request.header("Taskexec-Attempt"))
                        ? Answer.of(503, "busy " + SERVER_SECRET)
                        : Answer.of(200, "{\"done\": true, \"n\": 1}"));
        var _ = api.create("/endpoints", """
                {"name": "%1$s", "type": "HTTP", "config": "%1$s",
                 "spec": {"url": "%2$s/%1$s/{{input.id}}?key={{secret.%1$s-key}}", "method": "PUT",
                          "headers": {"X-Key": "Key {{secret.%1$s-key}}", "X-Kind": "{{config.kind}}"},
                          "body_template": {"id": "{{input.id}}", "key": "{{secret.%1$s-key}}"},
                          "signing": {"secrets": ["%1$s-signing"]}, "cloud_events": true},
                 "retry_policy": {"max_attempts": 3, "initial_delay_ms": 1}}
                """.formatted(name, receiver.uri("")));
        var job = api.create("/jobs", """
                {"endpoint": "%s", "trigger": "IMMEDIATE", "idempotency_key": "%s",
                 "input": {"id": "a/b {{secret.%s-key}}"}}
                """.formatted(name, name, name));
        var id = job.getString("execution.execution_id");
        assertThat(api.ended(id).getString("status")).isEqualTo("SUCCESS");
        // What comes later is not what the attempts have sent.
        var _ = api.update("/configs/" + name, Map.of("values", Map.of("kind", "second")));
        return id;
    }

    @Test
    void theRequestIsSentWithTheSecretsOfDevAndTheResponsesAreCompared() throws Exception {
        var id = executionOf("replayed");
        var data = folder.resolve("data");
        var port = Program.freePort();
        try (var laptop = new Receiver();
                var _ = Program.command("dev", "--data-dir", data.toString(), "--port", "" + port)
                        .startReady()) {
            var dev = new Api(port, Files.readString(data.resolve("api-key")).strip());
            dev.secret("replayed-key", LOCAL_SECRET);
            dev.secret("replayed-signing", SIGNING);
            laptop.answer(Answer.of(200, "{\"done\": true, \"n\": 2, \"echo\": \"" + LOCAL_SECRET + "\"}"));

            var run = cli.run("replay", id, "--to", laptop.uri("/base").toString(), "--data-dir", data.toString());

            assertThat(run.code()).as(run.out() + run.err()).isZero();
            assertThat(run.err()).isEmpty();
            assertThat(run.out())
                    .contains("--- attempt 2 of " + id, "  HTTP 200\n", "-   \"n\" : 1\n", "+   \"n\" : 2,\n")
                    .contains("[redacted]")
                    .doesNotContain("swordfish");
            checkRequest(laptop.requests().getFirst(), id);

            var first = cli.run(
                    "replay",
                    id,
                    "--attempt",
                    "1",
                    "--to",
                    laptop.uri("").toString(),
                    "--data-dir",
                    data.toString(),
                    "-o",
                    "json");
            assertThat(first.code()).isEqualTo(1);
            var json = Json.parse(first.out());
            assertThat(json.at("/recorded/status_code").asInt()).isEqualTo(503);
            assertThat(json.at("/recorded/body").asText()).isEqualTo("busy [redacted]");
            assertThat(json.at("/replayed/status_code").asInt()).isEqualTo(200);
            assertThat(json.path("same_status_class").asBoolean(true)).isFalse();
            assertThat(laptop.requests().getLast().header("Taskexec-Attempt")).isEqualTo("1");
        }
    }

    private static void checkRequest(Received request, String id) throws IOException {
        assertThat(request.method()).isEqualTo("PUT");
        assertThat(request.path())
                .isEqualTo("/base/replayed/a%2Fb%20%7B%7Bsecret.replayed-key%7D%7D?key=" + LOCAL_SECRET);
        assertThat(request.body())
                .isEqualTo("{\"id\":\"a/b {{secret.replayed-key}}\",\"key\":\"" + LOCAL_SECRET + "\"}");
        assertThat(request.headers())
                .containsEntry("x-key", "Key " + LOCAL_SECRET)
                .containsEntry("x-kind", "first")
                .containsEntry("content-type", "application/json")
                .containsEntry("idempotency-key", id)
                .containsEntry("taskexec-attempt", "2")
                .containsEntry("ce-id", id)
                .doesNotContainKeys("authorization", "traceparent", "taskexec-callback-url");
        assertThat(request.toString()).doesNotContain(SERVER_SECRET, api.key());
        var body = Files.writeString(folder.resolve("body"), request.body());
        var verified = CommandRun.of(
                "verify",
                "--secret-file",
                Files.writeString(folder.resolve("signing"), SIGNING).toString(),
                "--id",
                id,
                "--timestamp",
                request.headers().getOrDefault("webhook-timestamp", ""),
                "--signature",
                request.headers().getOrDefault("webhook-signature", ""),
                "--body",
                body.toString());
        assertThat(verified.code()).as(verified.err()).isZero();
    }

    @Test
    void withoutDevPlaceholdersAreSentAndNamed() throws Exception {
        var id = executionOf("unknown");
        try (var laptop = new Receiver()) {
            var none = folder.resolve("none").toString();

            var run = cli.run("replay", id, "--to", laptop.uri("").toString(), "--data-dir", none);

            assertThat(run.code()).as(run.out() + run.err()).isZero();
            assertThat(run.err())
                    .contains("their placeholders are sent: unknown-key.")
                    .contains("The signature of the secret unknown-signing is left out");
            var request = laptop.requests().getFirst();
            assertThat(request.headers())
                    .containsEntry("x-key", "Key {{secret.unknown-key}}")
                    .doesNotContainKey("webhook-signature");
            assertThat(request.path()).endsWith("?key=%7B%7Bsecret.unknown-key%7D%7D");
            assertThat(Files.exists(Path.of(none))).isFalse();
        }
        assertThat(api.get("/executions/" + id + "/request").asString()).doesNotContain("swordfish");
    }

    @Test
    void aReceiverThatDoesNotAnswerIsADifference() throws Exception {
        var id = executionOf("silent");

        var run = cli.run("replay", id, "--to", "http://127.0.0.1:" + Program.freePort());

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.out()).contains("- HTTP 200\n", "+ no response (");
    }

    @Test
    void mistakesAreRefusedBeforeAnythingIsSent() throws Exception {
        var id = executionOf("mistaken");
        for (var wrong : List.of("localhost:3000", "//a:3000", "ftp://a", "http://a/?b", "http://u:p@a")) {
            assertThat(cli.run("replay", id, "--to", wrong).code()).as(wrong).isEqualTo(2);
        }
        var missing = cli.run("replay", id, "--to", receiver.uri("").toString(), "--attempt", "7");
        assertThat(missing.code()).isEqualTo(2);
        assertThat(missing.err()).contains("The execution has no attempt 7.");
        assertThat(cli.run("replay", "job_1", "--to", receiver.uri("").toString())
                        .code())
                .isEqualTo(2);
    }
}
