package io.taskexec.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.path.json.JsonPath;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Program;
import io.taskexec.testing.Received;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Endpoints with {@code on_worker_lost} 'fail': what may have been sent is not sent again. */
class AtMostOnceIT {
    private static final int EACH = 5;
    private static final Duration BOUND = Duration.ofSeconds(30);

    private final ServerDb database = ServerDb.fresh(AtMostOnceIT.class);
    private final Program.Setup setup = Program.serving(database);

    @Test
    void whatAKilledWorkerHadInFlightIsNotSentAgain() throws InterruptedException {
        try (var receiver = new Receiver();
                var control = setup.arguments("--roles=api,scheduler").startReady();
                var doomed = worker().with("TE_WORKER_LEASE_SEC", "3").startReady()) {
            var api = control.api();
            holdFirst(receiver);
            register(api, receiver);
            var atMostOnce = create(api, "once");
            var atLeastOnce = create(api, "again");
            var _ = receiver.awaitCount(2 * EACH, BOUND);

            doomed.kill();
            try (var _ = worker().startReady()) {
                for (var id : atMostOnce) {
                    checkFailed(api, id, "The worker was lost during attempt 1");
                    assertThat(api.attempts(id))
                            .extracting(attempt -> attempt.get("status"))
                            .containsExactly("LOST");
                }
                for (var id : atLeastOnce) {
                    assertThat(api.ended(id).getString("status")).isEqualTo("SUCCESS");
                    assertThat(api.attemptStatuses(id)).containsExactly("LOST", "SUCCESS");
                }
                var callbacks = receiver.awaitCount(4 * EACH, BOUND).stream()
                        .filter(request -> request.path().equals("/failed"));
                assertThat(callbacks).hasSize(EACH);
                assertThat(requests(receiver)).isEqualTo(Map.of("/once", EACH, "/again", 2 * EACH, "/failed", EACH));
            }
            Check.findsNothing(setup);
        }
    }

    @Test
    void whatIsInFlightWhenAShutdownRunsOutOfTimeIsNotSentAgain() throws InterruptedException {
        try (var receiver = new Receiver();
                var control = setup.arguments("--roles=api,scheduler").startReady();
                var stopping = worker().with("TE_WORKER_SHUTDOWN_TIMEOUT_SEC", "1")
                        .with("TE_WORKER_MAX_CONCURRENT", "" + 2 * EACH)
                        .startReady()) {
            var api = control.api();
            holdFirst(receiver);
            register(api, receiver);
            var atMostOnce = create(api, "once");
            var atLeastOnce = create(api, "again");
            var _ = receiver.awaitCount(2 * EACH, BOUND);
            var waiting = api.immediate("once", "waits-for-a-slot");

            stopping.terminate();
            var _ = stopping.awaitExit(BOUND);
            try (var _ = worker().startReady()) {
                for (var id : atMostOnce) {
                    checkFailed(api, id, "The worker was stopped during attempt 1");
                    assertThat(api.attemptStatuses(id)).containsExactly("FAILED");
                }
                for (var id : atLeastOnce) {
                    assertThat(api.attemptStatuses(id)).startsWith("INTERRUPTED");
                    assertThat(api.ended(id).getString("status")).isEqualTo("SUCCESS");
                }
                assertThat(api.ended(waiting).getString("status"))
                        .as("what was never sent")
                        .isEqualTo("SUCCESS");
                var _ = receiver.awaitCount(4 * EACH + 1, BOUND);
                assertThat(requests(receiver))
                        .isEqualTo(Map.of("/once", EACH + 1, "/again", 2 * EACH, "/failed", EACH));
            }
            Check.findsNothing(setup);
        }
    }

    /** Its lease is longer than its first calls take on a busy machine, so that it loses none of them. */
    private Program.Setup worker() {
        return setup.arguments("--roles=worker").with("TE_WORKER_LEASE_SEC", "12");
    }

    /** Each first request to an endpoint is never answered. */
    private static void holdFirst(Receiver receiver) {
        var never = new CompletableFuture<Void>();
        receiver.answer(request -> isHeld(request) ? Answer.of(200, "{}").after(never) : Answer.of(200, "{}"));
    }

    private static boolean isHeld(Received request) {
        return "1".equals(request.header("Taskexec-Attempt"))
                && !request.path().equals("/failed")
                && !request.body().contains("waits");
    }

    private static void register(Api api, Receiver receiver) {
        var told = Map.of(
                "url",
                receiver.uri("/failed").toString(),
                "method",
                "POST",
                "body_template",
                Map.of("error", "{{input.error.type}}"));
        var _ = api.create("/endpoints", Map.of("name", "failed", "type", "HTTP", "spec", told));
        for (var policy : Map.of("once", "fail", "again", "retry").entrySet()) {
            var endpoint = new TreeMap<String, Object>(
                    Api.posting(policy.getKey(), receiver.uri("/" + policy.getKey()), Map.of("max_attempts", 1)));
            endpoint.put("on_worker_lost", policy.getValue());
            endpoint.put("on_failure", "failed");
            assertThat(api.create("/endpoints", endpoint).getString("on_worker_lost"))
                    .isEqualTo(policy.getValue());
        }
    }

    private static List<String> create(Api api, String endpoint) {
        return IntStream.range(0, EACH)
                .mapToObj(n -> api.immediate(endpoint, endpoint + n))
                .toList();
    }

    private static void checkFailed(Api api, String id, String message) throws InterruptedException {
        JsonPath end = api.ended(id);
        assertThat(end.getString("status")).isEqualTo("FAILED");
        assertThat(end.getInt("attempt_count")).isEqualTo(1);
        assertThat(end.getString("error.type")).isEqualTo("WORKER_LOST");
        assertThat(end.getString("error.message"))
                .isEqualTo(message + "; on_worker_lost is 'fail', so it is not delivered again.");
    }

    private static Map<String, Integer> requests(Receiver receiver) {
        var counts = new TreeMap<String, Integer>();
        receiver.requests().forEach(request -> counts.merge(request.path(), 1, Integer::sum));
        return counts;
    }
}
