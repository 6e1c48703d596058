package io.taskexec.e2e;

import static io.taskexec.e2e.PullClient.answer;
import static io.taskexec.e2e.PullClient.error;
import static io.taskexec.e2e.PullClient.item;
import static io.taskexec.e2e.PullClient.json;
import static io.taskexec.e2e.PullClient.number;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.path.json.JsonPath;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Program;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Pull workers: leases are handed out, extended, ended and lost. */
@ServerTest(env = {"TE_PUBLIC_URL=http://public.invalid"})
class LeasesIT {
    @Inject
    private static Api api;

    @Inject
    private static Program program;

    private final PullClient pull = new PullClient(api, program);

    @Test
    void anExecutionIsLeasedAndCompleted() {
        var endpoint = pull.endpoint("");
        var id = pull.start(endpoint, ", 'input': {'file': 'a.png'}, 'priority': 2, 'tags': ['big']");

        var lease = pull.lease(endpoint, "");

        assertThat(lease.getList("leases")).hasSize(1);
        assertThat(lease.getString("leases[0].execution_id")).isEqualTo(id);
        assertThat(lease.getString("leases[0].job_id")).isEqualTo(id.replace("exec_", "job_"));
        assertThat(lease.getString("leases[0].endpoint")).isEqualTo(endpoint);
        assertThat(lease.getInt("leases[0].attempt")).isEqualTo(1);
        assertThat(lease.getString("leases[0].input.file")).isEqualTo("a.png");
        assertThat(lease.getInt("leases[0].priority")).isEqualTo(2);
        assertThat(lease.getList("leases[0].tags")).isEqualTo(List.of("big"));
        assertThat(Duration.parse(lease.getString("leases[0].expires_in")))
                .isBetween(Duration.ofSeconds(50), Duration.ofSeconds(60));
        assertThat(lease.<Object>get("leases[0].deadline")).isNull();
        assertThat(lease.<Object>get("leases[0].callback_url")).isNull();
        assertThat(pull.execution(id).getString("status")).isEqualTo("RUNNING");
        assertThat(pull.lease(endpoint, "").getList("leases")).isEmpty();

        var token = lease.getString("leases[0].lease");
        var completed = pull.tell("complete", "{'lease': '%s', 'output': {'size': 3}}".formatted(token));

        assertThat(completed.getString("results[0].status")).isEqualTo("OK");
        assertThat(completed.getString("results[0].execution_status")).isEqualTo("SUCCESS");
        assertThat(pull.execution(id).getString("status")).isEqualTo("SUCCESS");
        assertThat(pull.execution(id).getInt("output.json.size")).isEqualTo(3);

        // The answer may have been lost.
        assertThat(pull.tell("complete", item(token)).getString("results[0].execution_status"))
                .isEqualTo("SUCCESS");
    }

    @Test
    void aFailureIsRetriedByThePolicyUnlessItIsPermanent() {
        var endpoint = pull.endpoint(", 'retry_policy': {'max_attempts': 3, 'initial_delay_ms': 0}");
        var id = pull.start(endpoint);

        var failed = pull.tell(
                "fail",
                "{'lease': '%s', 'error': {'message': 'no room', 'code': 'DISK_FULL'}}"
                        .formatted(pull.leased(endpoint)));
        assertThat(failed.getString("results[0].execution_status")).isEqualTo("RETRYING");

        var second = pull.lease(endpoint, ", 'wait': 'PT10S'");
        assertThat(second.getInt("leases[0].attempt")).isEqualTo(2);
        var ended = pull.tell(
                "fail",
                "{'lease': '%s', 'error': {'message': 'never', 'permanent': true}}"
                        .formatted(second.getString("leases[0].lease")));

        assertThat(ended.getString("results[0].execution_status")).isEqualTo("FAILED");
        assertThat(pull.execution(id).getString("error.message")).isEqualTo("never");
        var attempt = api.attempts(id).getFirst();
        assertThat(String.valueOf(attempt.get("error"))).contains("DISK_FULL", "no room", "RECEIVER_FAILED");
    }

    @Test
    void aCallerThatWaitsIsAnsweredAsSoonAsThereIsWorkAndAtTheEndWithoutAny() {
        AtOnce.check(() -> {
            var endpoint = pull.endpoint("");
            var waiting = pull.waiting(endpoint);
            var begunAt = System.nanoTime();

            var id = pull.start(endpoint);

            assertThat(waiting.join().getString("leases[0].execution_id")).isEqualTo(id);
            var waited = since(begunAt);
            assertThat(pull.lease(endpoint, ", 'wait': 'PT0.2S'").getList("leases"))
                    .isEmpty();
            return waited;
        });
    }

    private static Duration since(long begunAt) {
        return Duration.ofNanos(System.nanoTime() - begunAt);
    }

    /** Not in the common pool, which may have one thread alone. */
    private static CompletableFuture<JsonPath> together(Supplier<JsonPath> request) {
        return CompletableFuture.supplyAsync(request, Thread::startVirtualThread);
    }

    @Test
    void severalCallersShareWhatIsDue() {
        var one = pull.endpoint("");
        var other = pull.endpoint("");
        var callers = List.of(
                together(() -> pull.lease(one, ", 'wait': 'PT20S', 'max': 10")),
                together(() -> pull.lease(other, ", 'wait': 'PT20S', 'max': 10, 'lease': 'PT5M'")));
        pull.awaitCaller(2);

        var ids = List.of(pull.start(one), pull.start(other));

        var first = callers.get(0).join();
        var second = callers.get(1).join();
        assertThat(first.getString("leases[0].execution_id")).isEqualTo(ids.getFirst());
        assertThat(second.getString("leases[0].execution_id")).isEqualTo(ids.getLast());
        assertThat(Duration.parse(second.getString("leases[0].expires_in"))).isGreaterThan(Duration.ofMinutes(4));
    }

    @Test
    void aWorkerUnderPressureGetsUrgentExecutionsAloneAndOthersGetTheRest() {
        var endpoint = pull.endpoint("");
        var usual = pull.start(endpoint, ", 'priority': 4");
        assertThat(pull.lease(endpoint, ", 'least_urgent': 3").getList("leases"))
                .isEmpty();
        var waiting = together(() -> pull.lease(endpoint, ", 'wait': 'PT20S', 'least_urgent': 1"));
        pull.awaitCaller(1);

        var other = pull.lease(endpoint, ", 'wait': 'PT10S', 'max': 10");
        var urgent = pull.start(endpoint, ", 'priority': 1");

        assertThat(other.getList("leases.execution_id")).isEqualTo(List.of(usual));
        assertThat(waiting.join().getList("leases.execution_id")).isEqualTo(List.of(urgent));
    }

    @Test
    void oneLostLeaseDoesNotAffectTheOthers() {
        var endpoint = pull.endpoint("");
        pull.start(endpoint);
        pull.start(endpoint);
        var both = pull.lease(endpoint, ", 'max': 2").getList("leases.lease", String.class);
        assertThat(both).hasSize(2);

        var results = pull.tell(
                "complete", item("nonsense"), item(both.getFirst()), item("A".repeat(38)), item(both.getLast()));

        assertThat(results.getList("results.status")).containsExactly("ERROR", "OK", "ERROR", "OK");
        assertThat(results.getList("results.lease"))
                .containsExactly("nonsense", both.getFirst(), "A".repeat(38), both.getLast());
        assertThat(error(results, 0)).isEqualTo("LEASE_LOST");
        assertThat(error(results, 2)).isEqualTo("LEASE_LOST");
        for (var action : List.of("extend", "release", "defer")) {
            assertThat(error(pull.tell(action, item("nonsense")), 0)).as(action).isEqualTo("LEASE_LOST");
        }
    }

    @Test
    void anExtensionReportsProgressAndLetsTheLeaseHoldLonger() {
        var endpoint = pull.endpoint("");
        var id = pull.start(endpoint);
        var lease = pull.leased(endpoint);

        var extended = answer(api.post(
                "/leases/extend",
                json("{'lease': 'PT10M', 'leases': [{'lease': '%s', 'progress': {'current': 3, 'total': 10}}]}"
                        .formatted(lease))));

        assertThat(extended.getString("results[0].status")).isEqualTo("OK");
        assertThat(Duration.parse(extended.getString("results[0].expires_in"))).isGreaterThan(Duration.ofMinutes(9));
        assertThat(extended.<Object>get("results[0].cancel")).isNull();
        assertThat(pull.execution(id).getDouble("progress.current")).isEqualTo(3);
    }

    @Test
    void aLeaseThatEndsIsRescuedAndItsFirstHolderIsTooLate() throws Exception {
        var endpoint = pull.endpoint("");
        var id = pull.start(endpoint);
        var first = pull.lease(endpoint, ", 'lease': 'PT5S'").getString("leases[0].lease");

        var second = pull.lease(endpoint, ", 'wait': 'PT20S'");

        assertThat(second.getString("leases[0].execution_id")).isEqualTo(id);
        assertThat(second.getInt("leases[0].attempt")).isEqualTo(2);
        assertThat(api.attemptStatuses(id)).startsWith("LOST");
        assertThat(error(pull.tell("complete", item(first)), 0)).isEqualTo("LEASE_LOST");
        assertThat(error(pull.tell("extend", item(first)), 0)).isEqualTo("LEASE_LOST");
        assertThat(pull.tell("complete", item(second.getString("leases[0].lease")))
                        .getString("results[0].status"))
                .isEqualTo("OK");
    }

    @Test
    void aReleasedLeaseIsDueAgainAtOnceAndNoFailureIsCounted() {
        var endpoint = pull.endpoint(", 'retry_policy': {'max_attempts': 1}");
        var id = pull.start(endpoint);

        assertThat(pull.tell("release", item(pull.leased(endpoint))).getString("results[0].status"))
                .isEqualTo("OK");

        assertThat(pull.lease(endpoint, ", 'wait': 'PT10S'").getInt("leases[0].attempt"))
                .isEqualTo(2);
        assertThat(api.attemptStatuses(id)).startsWith("INTERRUPTED");
    }

    @Test
    void aCancellationReachesTheWorkerAtOnceThroughItsLongPollAndWithItsNextExtension() {
        AtOnce.check(() -> {
            var endpoint = pull.endpoint("");
            var id = pull.start(endpoint);
            var lease = pull.leased(endpoint);
            var waiting = pull.waiting(endpoint);
            var begunAt = System.nanoTime();

            api.act("/executions/" + id + "/cancel?force=true");

            var told = waiting.join();
            var waited = since(begunAt);
            assertThat(told.getList("leases")).isEmpty();
            assertThat(told.getString("cancelled[0].lease")).isEqualTo(lease);
            assertThat(told.getString("cancelled[0].execution_id")).isEqualTo(id);
            assertThat(told.getString("cancelled[0].reason")).isEqualTo("CANCELLED");
            var extended = pull.tell("extend", item(lease));
            assertThat(error(extended, 0)).isEqualTo("LEASE_LOST");
            assertThat(extended.getString("results[0].error.message")).isEqualTo("The execution was cancelled.");
            assertThat(pull.execution(id).getString("status")).isEqualTo("CANCELLED");
            assertThat(pull.lease(endpoint, "").getList("cancelled")).isEmpty();
            return waited;
        });
    }

    @Test
    void aPreemptibleAttemptIsAskedToYieldToAnUrgentOne() throws Exception {
        var endpoint = pull.endpoint(", 'preemptible': true");
        var id = pull.start(endpoint);
        var lease = pull.leased(endpoint);
        pull.start(endpoint, ", 'priority': 0");

        Eventually.await(
                "the extension says so",
                PullClient.BOUND,
                () -> "PREEMPTED".equals(pull.tell("extend", item(lease)).getString("results[0].cancel")));
        var told = pull.lease(endpoint, ", 'wait': 'PT5S'");
        assertThat(told.getString("cancelled[0].reason")).isEqualTo("PREEMPTED");

        pull.tell("release", item(lease));
        assertThat(pull.lease(endpoint, "").getInt("leases[0].priority")).isZero();
        assertThat(api.attemptStatuses(id)).startsWith("INTERRUPTED");
    }

    @Test
    void aWorkerWithoutRoomIsToldAtOnceToYieldAndGetsNoLeases() {
        AtOnce.check(() -> {
            var endpoint = pull.endpoint(", 'preemptible': true");
            pull.start(endpoint);
            var lease = pull.leased(endpoint);
            pull.start(endpoint);
            assertThat(pull.lease(endpoint, ", 'full': true, 'wait': 'PT0.2S'").getList("leases"))
                    .isEmpty();
            var waiting = pull.full(endpoint);
            var begunAt = System.nanoTime();

            pull.start(endpoint, ", 'priority': 0");

            var told = waiting.join();
            var waited = since(begunAt);
            assertThat(told.getList("leases")).isEmpty();
            assertThat(told.getString("cancelled[0].lease")).isEqualTo(lease);
            assertThat(told.getString("cancelled[0].reason")).isEqualTo("PREEMPTED");
            return waited;
        });
    }

    @Test
    void anAttemptEndsWithItsTimeoutWhateverExtensionsItHas() throws Exception {
        var name = "pulled-" + number();
        api.create(
                "/endpoints",
                json(("{'name': '%s', 'type': 'WORKER', 'spec': {'timeout_ms': 1500},"
                                + " 'retry_policy': {'max_attempts': 1}}")
                        .formatted(name)));
        var id = pull.start(name);
        var answer = pull.lease(name, ", 'wait': 'PT10S'");
        assertThat(answer.getString("leases[0].deadline")).isNotNull();

        var told = pull.lease(name, ", 'wait': 'PT20S'");

        assertThat(told.getString("cancelled[0].reason")).isEqualTo("TIMED_OUT");
        assertThat(api.ended(id).getString("error.type")).isEqualTo("TIMEOUT");
        assertThat(error(pull.tell("complete", item(answer.getString("leases[0].lease"))), 0))
                .isEqualTo("LEASE_LOST");
    }

    @Test
    void aClientThatGoesAwayGetsNothingAndNoAttemptIsCounted() throws Exception {
        var endpoint = pull.endpoint("");
        var client = HttpClient.newHttpClient();
        var body = json("{'worker': '%s', 'endpoints': ['%s'], 'wait': 'PT50S'}".formatted("gone", endpoint));
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d/leases".formatted(program.apiPort())))
                .header("Authorization", "Bearer " + Program.API_KEY)
                .POST(BodyPublishers.ofString(body))
                .build();
        var _ = client.sendAsync(request, BodyHandlers.ofString());
        pull.awaitCaller(1);

        client.shutdownNow();

        pull.awaitCaller(0);
        var id = pull.start(endpoint);
        var lease = pull.lease(endpoint, ", 'wait': 'PT10S'");
        assertThat(lease.getString("leases[0].execution_id")).isEqualTo(id);
        assertThat(lease.getInt("leases[0].attempt")).isEqualTo(1);
    }

    /** The connection ends while the server still reads the endpoint, so before the request waits. */
    @Test
    void aClientThatGoesAwayAtOnceGetsNothingEither() throws Exception {
        var endpoints = IntStream.range(0, 30).mapToObj(_ -> pull.endpoint("")).toList();

        for (var endpoint : endpoints) {
            var body = json("{'worker': 'gone', 'endpoints': ['%s'], 'wait': 'PT50S'}".formatted(endpoint));
            var request = """
                    POST /leases HTTP/1.1\r
                    Host: localhost\r
                    Authorization: Bearer %s\r
                    Content-Length: %d\r
                    \r
                    %s""".formatted(Program.API_KEY, body.length(), body);
            try (var socket = new Socket(InetAddress.getLoopbackAddress(), program.apiPort())) {
                socket.setSoLinger(true, 0);
                socket.getOutputStream().write(request.getBytes(US_ASCII));
            }
        }

        for (var endpoint : endpoints) {
            var id = pull.start(endpoint);
            var lease = pull.lease(endpoint, ", 'wait': 'PT10S'");
            assertThat(lease.getString("leases[0].execution_id")).isEqualTo(id);
            assertThat(lease.getInt("leases[0].attempt")).isEqualTo(1);
        }
    }
}
