package io.taskexec.examples.cloudillo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.client.Json;
import io.taskexec.client.Query;
import io.taskexec.client.model.Execution;
import io.taskexec.client.model.ExecutionStatus;
import io.taskexec.client.testing.TaskexecDev;
import io.taskexec.examples.cloudillo.federation.Hosts;
import io.taskexec.examples.cloudillo.image.Photographs;
import io.taskexec.examples.cloudillo.task.ActionVerifier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two instances on one machine, with a real taskexec. */
class FederationIT {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final String ALICE = "alice.example";
    private static final String BOB = "bob.example";
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private static TaskexecDev taskexec;

    @TempDir
    private Path folder;

    private final int alicePort = freePort();
    private final int bobPort = freePort();
    private Instance alice;
    private Instance bob;

    @BeforeAll
    static void startTaskexec() {
        var binary = System.getProperty("taskexec.binary", "");
        taskexec = TaskexecDev.start(Path.of(binary.isEmpty() ? System.getProperty("taskexec.jar", "") : binary));
    }

    @AfterAll
    static void stopTaskexec() {
        taskexec.close();
    }

    @BeforeEach
    void startInstances() throws IOException {
        alice = start(ALICE, alicePort);
        bob = start(BOB, bobPort);
    }

    @AfterEach
    void stopInstances() {
        alice.close();
        bob.close();
    }

    private static int freePort() {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Instance start(String identity, int port) throws IOException {
        var hosts = new Hosts(Map.of(ALICE, uri(alicePort, ""), BOB, uri(bobPort, "")));
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        return Instance.start(new Settings(identity, address, folder.resolve(identity), hosts), taskexec.client());
    }

    private static URI uri(int port, String path) {
        return URI.create("http://127.0.0.1:" + port + path);
    }

    private static JsonNode send(Instance to, String method, String path, byte[] body, String contentType)
            throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(uri(to.port(), path))
                .header("Authorization", "Bearer " + to.ownerToken())
                .header("Content-Type", contentType)
                .method(method, BodyPublishers.ofByteArray(body))
                .build();
        var answer = HTTP.send(request, BodyHandlers.ofByteArray());
        var json = Json.data().readTree(answer.body());
        assertThat(answer.statusCode()).as("%s", json).isLessThan(300);
        return json;
    }

    private static JsonNode send(Instance to, String method, String path, Object body)
            throws IOException, InterruptedException {
        return send(to, method, path, Json.data().writeValueAsBytes(body), "application/json");
    }

    private static byte[] file(Instance of, String id) throws IOException, InterruptedException {
        var answer = HTTP.send(
                HttpRequest.newBuilder(uri(of.port(), "/api/files/" + id)).build(), BodyHandlers.ofByteArray());
        assertThat(answer.statusCode()).isEqualTo(200);
        return answer.body();
    }

    private static Execution await(JsonNode job) {
        var id = job.asText().replaceFirst("^job_", "exec_");
        return taskexec.client().executions().await(id, LONG);
    }

    private static void assertSucceeds(JsonNode jobs) {
        for (var job : jobs) {
            var execution = await(job);
            assertThat(execution.status()).as("%s", execution).isEqualTo(ExecutionStatus.SUCCESS);
        }
    }

    private static List<Execution> verifications() {
        return taskexec.client().executions().list(Query.where("endpoint", "bob-example-action-verifier")).stream()
                .toList();
    }

    private static Execution awaitVerification() {
        var newest = verifications().get(0);
        return taskexec.client().executions().await(newest.executionId(), LONG);
    }

    @Test
    void aPhotographTravelsWithAllItsVariants() throws Exception {
        var photograph = Photographs.jpeg(6000, 4000);
        assertThat(photograph.length).isGreaterThan(5_000_000);
        send(bob, "PUT", "/api/contacts/" + ALICE, Map.of("following", true));

        var upload = send(alice, "POST", "/api/files?name=sea.jpg", photograph, "image/jpeg");
        var action = send(
                alice,
                "POST",
                "/api/actions",
                Map.of(
                        "type", "POST",
                        "content", Map.of("text", "The sea, {{not a template}}"),
                        "uploads", List.of(upload.path("upload").asText()),
                        "recipients", List.of(BOB)));
        assertThat(upload.path("jobs")).hasSize(6);
        assertThat(action.path("jobs")).hasSize(2);
        assertSucceeds(upload.path("jobs"));
        assertSucceeds(action.path("jobs"));
        var verification = awaitVerification();
        assertThat(verification.status()).as("%s", verification).isEqualTo(ExecutionStatus.SUCCESS);
        assertThat(verification.result(ActionVerifier.Verified.class))
                .isNotNull()
                .satisfies(verified -> assertThat(verified.fetched()).isEqualTo(6));

        var received = send(bob, "GET", "/api/inbox", Map.of());
        assertThat(received).hasSize(1);
        var claims = received.path(0).path("claims");
        assertThat(claims.path("iss").asText()).isEqualTo(ALICE);
        assertThat(claims.path("c").path("text").asText()).isEqualTo("The sea, {{not a template}}");
        var id = claims.path("a").path(0).asText();
        assertThat(MessageDigest.isEqual(file(bob, id), photograph)).isTrue();
        var variants = send(
                        alice, "GET", "/api/uploads/" + upload.path("upload").asText(), Map.of())
                .path("variants");
        assertThat(variants).hasSize(5).allSatisfy(variant -> {
            var name = variant.path("variant").asText();
            assertThat(claims.path("v").path(id).path(name)).isEqualTo(variant.path("fileId"));
            assertThat(file(bob, variant.path("fileId").asText()))
                    .hasSize(variant.path("bytes").asInt());
        });
        assertThat(sizes(variants))
                .containsExactly("hd 1620x1080", "md 1080x720", "sd 720x480", "tn 256x171", "xd 3240x2160");
    }

    private static List<String> sizes(JsonNode variants) {
        var sizes = new ArrayList<String>();
        variants.forEach(variant -> sizes.add(
                "%s %sx%s".formatted(variant.path("variant").asText(), variant.path("width"), variant.path("height"))));
        return sizes;
    }

    @Test
    void anInstanceThatIsAwayGetsItsActionsLater() throws Exception {
        send(bob, "PUT", "/api/contacts/" + ALICE, Map.of("connected", true));
        bob.close();
        var action = send(
                alice,
                "POST",
                "/api/actions",
                Map.of("type", "MSG", "content", "Hello", "audience", BOB, "recipients", List.of(BOB)));
        var delivery = action.path("jobs").path(1).asText().replaceFirst("^job_", "exec_");
        awaitStatus(delivery, ExecutionStatus.RETRYING);

        bob = start(BOB, bobPort);
        taskexec.advance(Duration.ofSeconds(15));

        assertSucceeds(action.path("jobs"));
        assertThat(awaitVerification().status()).isEqualTo(ExecutionStatus.SUCCESS);
        assertThat(send(bob, "GET", "/api/inbox", Map.of())
                        .path(0)
                        .path("claims")
                        .path("c")
                        .asText())
                .isEqualTo("Hello");
    }

    private static void awaitStatus(String execution, ExecutionStatus status) {
        var end = System.nanoTime() + LONG.toNanos();
        var found = taskexec.client().executions().get(execution);
        while (found.status() != status && System.nanoTime() - end < 0) {
            found = taskexec.client().executions().poll(execution, Duration.ofSeconds(5));
        }
        assertThat(found.status()).isEqualTo(status);
    }

    @Test
    void strangersAndRefusalsFailForAllTime() throws Exception {
        var stranger = Map.of("type", "POST", "content", "Buy this!", "recipients", List.of(BOB));
        assertSucceeds(send(alice, "POST", "/api/actions", stranger).path("jobs"));
        var verification = awaitVerification();

        assertThat(verification.status()).isEqualTo(ExecutionStatus.FAILED);
        assertThat(verification.attemptCount()).isEqualTo(1);
        assertThat(verification.error())
                .isNotNull()
                .satisfies(error -> assertThat(error.message()).contains("alice.example may not send a POST."));
        assertThat(send(bob, "GET", "/api/inbox", Map.of())).isEmpty();

        var none = Map.of("token", "no token");
        var refused = HTTP.send(
                HttpRequest.newBuilder(uri(bobPort, "/api/inbox"))
                        .POST(BodyPublishers.ofByteArray(Json.data().writeValueAsBytes(none)))
                        .build(),
                BodyHandlers.ofString(StandardCharsets.UTF_8));
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body()).contains("MALFORMED_TOKEN");
    }

    @Test
    void ownersRequestsNeedTheirToken() throws Exception {
        for (var path : List.of("/api/inbox", "/api/actions", "/api/uploads/x", "/api/other", "/")) {
            var answer = HTTP.send(HttpRequest.newBuilder(uri(bobPort, path)).build(), BodyHandlers.discarding());
            assertThat(answer.statusCode()).isEqualTo(401);
        }
    }
}
