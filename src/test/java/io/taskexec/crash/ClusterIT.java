package io.taskexec.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Program;
import io.taskexec.testing.Received;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ClusterIT {
    private static final int JOBS = 10_000;
    private static final int BATCH = 1_000;
    private static final Duration BOUND = Duration.ofSeconds(90);

    @Test
    void twoWorkersDeliverTenThousandJobsAndEachOfThemOnce() throws InterruptedException {
        var database = ServerDb.fresh(ClusterIT.class);
        var setup = Program.serving(database);
        try (var receiver = new Receiver();
                var api = setup.arguments("--roles=api").startReady();
                var _ = setup.arguments("--roles=worker").startReady();
                var _ = setup.arguments("--roles=worker").startReady();
                var _ = setup.arguments("--roles=scheduler").startReady()) {
            api.api().endpoint("counted", receiver.uri("/"), Map.of("max_attempts", 1));

            for (var begin = 0; begin < JOBS; begin += BATCH) {
                create(api.api(), begin);
            }
            var _ = receiver.awaitCount(JOBS, BOUND);
            Eventually.await(
                    "nothing is left to do", BOUND, () -> database.number("SELECT count(*) FROM exec_live") == 0);

            checkDeliveries(receiver.requests(), database);
            checkRecords(database);
            Check.findsNothing(setup);
        }
    }

    private static void create(Api api, int begin) {
        var jobs = IntStream.range(begin, begin + BATCH)
                .mapToObj(n -> Api.immediateJob("counted", "key-" + n))
                .toList();
        var statuses = api.post("/jobs/batch", Map.of("jobs", jobs)).jsonPath().<Integer>getList("items.status");
        assertThat(statuses).hasSize(BATCH).containsOnly(201);
    }

    private static void checkDeliveries(List<Received> requests, ServerDb database) {
        var delivered = new HashSet<String>();
        requests.forEach(request -> delivered.add(String.valueOf(request.header("Idempotency-Key"))));
        var bodies = new HashSet<String>();
        requests.forEach(request -> bodies.add(request.body()));
        assertThat(requests).as("deliveries").hasSize(JOBS);
        assertThat(delivered).as("executions delivered").hasSize(JOBS);
        assertThat(bodies).as("inputs delivered").hasSize(JOBS);
        var recorded =
                new HashSet<>(database.texts("SELECT 'exec_' || replace(execution_id::text, '-', '') FROM executions"));
        assertThat(recorded.equals(delivered))
                .as("what is recorded is what was delivered")
                .isTrue();
    }

    private static void checkRecords(ServerDb database) {
        assertThat(database.texts("SELECT status || ' ' || attempt_count || ' ' || count(*) FROM executions GROUP BY"
                        + " status, attempt_count"))
                .containsExactly("SUCCESS 1 " + JOBS);
        assertThat(database.texts("SELECT status FROM attempts")).isEmpty();
        var parts = database.texts("SELECT count(*) FROM executions GROUP BY worker_id");
        assertThat(parts).as("executions by worker").hasSize(2);
        assertThat(database.texts("SELECT DISTINCT worker_id FROM executions"))
                .containsExactlyInAnyOrderElementsOf(database.texts("SELECT worker_id FROM workers"));
    }
}
