package io.taskexec.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Program;
import io.taskexec.testing.Received;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The limits of flow keys and of queues hold over several workers, and when one is killed. */
class FlowKillIT {
    private static final Duration BOUND = Duration.ofSeconds(90);
    private static final int CAP = 3;
    private static final int KEYS = 10;
    private static final int EACH = 10;

    private final ServerDb database = ServerDb.fresh(FlowKillIT.class);
    private final Program.Setup setup = Program.serving(database);
    private final Map<String, AtomicInteger> running = new ConcurrentHashMap<>();
    private final Map<String, Integer> most = new ConcurrentHashMap<>();

    @Test
    void neitherCapNorOrderIsBrokenWhenWorkersAreKilled() throws InterruptedException {
        try (var receiver = new Receiver();
                var control = setup.arguments("--roles=api,scheduler").startReady();
                var _ = worker().startReady()) {
            var api = control.api();
            receiver.answer(this::count);
            register(api, receiver);
            var doomed = worker().startReady();
            var ids = create(api);
            var _ = receiver.awaitCount(30, BOUND);
            doomed.kill();
            try (var next = worker().startReady()) {
                var _ = receiver.awaitCount(120, BOUND);
                next.kill();
            }
            Eventually.await(
                    "all have ended",
                    BOUND,
                    () -> database.number("SELECT count(*) FROM executions WHERE status = 'SUCCESS'") == ids.size());

            assertThat(most).hasSize(3);
            assertThat(most.get("/capped")).isLessThanOrEqualTo(CAP);
            assertThat(most.get("/queued")).isLessThanOrEqualTo(CAP);
            checkOrder(receiver.requests());
            assertThat(database.number("SELECT coalesce(sum(open), 0) FROM flow_limits"))
                    .isZero();
            Check.findsNothing(setup);
        }
    }

    private Program.Setup worker() {
        return setup.arguments("--roles=worker").with("TE_WORKER_LEASE_SEC", "3");
    }

    /** A call takes 50 ms; those that run at once are counted. Every tenth event fails at first. */
    private Answer count(Received request) {
        var end = new CompletableFuture<Void>();
        var now = running.computeIfAbsent(request.path(), _ -> new AtomicInteger());
        most.merge(request.path(), now.incrementAndGet(), Math::max);
        CompletableFuture.delayedExecutor(50, TimeUnit.MILLISECONDS).execute(() -> {
            now.decrementAndGet();
            end.complete(null);
        });
        var fails = "1".equals(request.header("Taskexec-Attempt"))
                && number(request.body(), "n").equals("5");
        return Answer.of(fails ? 503 : 200, "{}").after(end);
    }

    private static void register(Api api, Receiver receiver) {
        var flows = Map.of(
                "capped", Map.of("max_concurrency", CAP),
                "ordered", Map.of("key", "{{input.key}}", "order", "fifo"));
        var _ = api.create("/queues", Map.of("name", "narrow", "max_concurrency", CAP));
        var _ = api.create("/endpoints", endpoint("queued", receiver, Map.of("queue", "narrow")));
        flows.forEach((name, flow) -> {
            var _ = api.create("/endpoints", endpoint(name, receiver, Map.of("flow", flow)));
        });
    }

    private static Map<String, Object> endpoint(String name, Receiver receiver, Map<String, Object> limits) {

        var endpoint = new TreeMap<String, Object>(
                Api.posting(name, receiver.uri("/" + name), Map.of("max_attempts", 5, "initial_delay_ms", 20)));
        endpoint.put(
                "spec",
                Map.of(
                        "url",
                        receiver.uri("/" + name).toString(),
                        "method",
                        "POST",
                        "body_template",
                        Map.of("key", "{{input.key}}", "n", "{{input.n}}")));
        endpoint.putAll(limits);
        return endpoint;
    }

    private static List<String> create(Api api) {
        var ids = new ArrayList<String>();
        for (var n = 0; n < EACH; n++) {
            for (var key = 0; key < KEYS; key++) {
                for (var endpoint : List.of("capped", "ordered", "queued")) {
                    var job = Map.of(
                            "endpoint",
                            endpoint,
                            "trigger",
                            "IMMEDIATE",
                            "idempotency_key",
                            endpoint + "-" + key + "-" + n,
                            "input",
                            Map.of("key", key, "n", n));
                    ids.add(api.create("/jobs", job).getString("execution.execution_id"));
                }
            }
        }
        return ids;
    }

    /** Nothing arrives after something later of its key; that one arrives again is a retry, or was lost. */
    private static void checkOrder(List<Received> requests) {
        for (var key = 0; key < KEYS; key++) {
            var ofKey = "" + key;
            var order = requests.stream()
                    .filter(request -> request.path().equals("/ordered"))
                    .map(Received::body)
                    .filter(body -> number(body, "key").equals(ofKey))
                    .map(body -> Integer.parseInt(number(body, "n")))
                    .toList();
            assertThat(order).as("key %d", key).isSorted();
            assertThat(order.stream().distinct())
                    .containsExactlyElementsOf(IntStream.range(0, EACH).boxed().toList());
        }
    }

    private static String number(String body, String field) {
        return body.replaceAll(".*\"" + field + "\":(\\d+).*", "$1");
    }
}
