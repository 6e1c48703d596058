package io.taskexec.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.path.json.JsonPath;
import io.taskexec.testing.Api;
import io.taskexec.testing.Program;
import io.taskexec.testing.ServerDb;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Many clients that ask two processes for leases at the same time. */
class LeaseClientsIT {
    private static final int CLIENTS = 10;
    private static final int JOBS = 400;
    private static final int KEYS = 4;
    private static final int CAP = 3;
    private static final Duration BOUND = Duration.ofSeconds(60);

    private final Set<String> leased = ConcurrentHashMap.newKeySet();
    private final AtomicInteger leasedAgain = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private final AtomicInteger completed = new AtomicInteger();
    private final AtomicIntegerArray held = new AtomicIntegerArray(KEYS);
    private final AtomicIntegerArray most = new AtomicIntegerArray(KEYS);

    @Test
    void nothingIsLeasedTwiceNothingIsMissedAndNoKeyIsAboveItsCap() throws Exception {
        var database = ServerDb.fresh(LeaseClientsIT.class);
        var setup = Program.serving(database);
        try (var one = setup.startReady();
                var other = setup.startReady();
                var clients = Executors.newVirtualThreadPerTaskExecutor()) {
            var _ = one.api().create("/endpoints", "{\"name\": \"plain\", \"type\": \"WORKER\", \"spec\": {}}");
            var _ = one.api().create("/endpoints", """
                    {"name": "keyed", "type": "WORKER", "spec": {},
                     "flow": {"key": "{{input.key}}", "max_concurrency": %d}}
                    """.formatted(CAP));
            var end = System.nanoTime() + BOUND.toNanos();
            var work = IntStream.range(0, CLIENTS)
                    .mapToObj(i -> clients.submit(() -> work("worker-" + i, i % 2 == 0 ? one.api() : other.api(), end)))
                    .toList();
            create(one.api(), "plain");
            create(other.api(), "keyed");
            for (var client : work) {
                client.get();
            }

            assertThat(leasedAgain).hasValue(0);
            assertThat(refused).hasValue(0);
            assertThat(leased).hasSize(2 * JOBS);
            assertThat(completed).hasValue(2 * JOBS);
            for (var key = 0; key < KEYS; key++) {
                assertThat(most.get(key)).isBetween(1, CAP);
            }
            assertThat(database.number("SELECT count(*) FROM executions WHERE status = 'SUCCESS'"))
                    .isEqualTo(2 * JOBS);
            assertThat(database.number("SELECT count(*) FROM executions WHERE attempt_count > 1"))
                    .isZero();
            Check.findsNothing(setup);
        }
    }

    private static void create(Api api, String endpoint) {
        var jobs = IntStream.range(0, JOBS)
                .mapToObj(i -> """
                        {"endpoint": "%s", "idempotency_key": "job-%d", "input": {"key": "%d"}}
                        """.formatted(endpoint, i, i % KEYS))
                .collect(Collectors.joining(","));
        assertThat(api.post("/jobs/batch", "{\"jobs\": [%s]}".formatted(jobs)).statusCode())
                .isEqualTo(200);
    }

    /** Leases some, holds them for a moment and completes them, until all are done. */
    private Void work(String worker, Api api, long end) throws InterruptedException {
        var random = ThreadLocalRandom.current();
        while (completed.get() < 2 * JOBS && System.nanoTime() - end < 0) {
            var answer = api.post("/leases", """
                    {"worker": "%s", "endpoints": ["keyed", "plain"], "max": %d, "wait": "PT0.2S"}
                    """.formatted(worker, random.nextInt(1, 20)));
            assertThat(answer.statusCode()).as(answer.asString()).isEqualTo(200);
            var leases = answer.jsonPath().<Map<String, Object>>getList("leases");
            leases.forEach(this::begin);
            Thread.sleep(random.nextInt(5));
            if (!leases.isEmpty()) {
                complete(api, leases);
            }
        }
        return null;
    }

    private static int key(Map<String, Object> lease) {
        return "keyed".equals(lease.get("endpoint")) && lease.get("input") instanceof Map<?, ?> input
                ? Integer.parseInt(String.valueOf(input.get("key")))
                : -1;
    }

    private void begin(Map<String, Object> lease) {
        if (!leased.add(String.valueOf(lease.get("execution_id")))) {
            leasedAgain.incrementAndGet();
        }
        var key = key(lease);
        if (key >= 0) {
            most.accumulateAndGet(key, held.incrementAndGet(key), Math::max);
        }
    }

    private void complete(Api api, List<Map<String, Object>> leases) {
        var items = new ArrayList<String>();
        for (var lease : leases) {
            if (key(lease) >= 0) {
                held.decrementAndGet(key(lease));
            }
            items.add("{\"lease\": \"%s\"}".formatted(lease.get("lease")));
        }
        JsonPath results = api.post("/leases/complete", "{\"leases\": [%s]}".formatted(String.join(",", items)))
                .jsonPath();
        for (var status : results.getList("results.status", String.class)) {
            (status.equals("OK") ? completed : refused).incrementAndGet();
        }
    }
}
