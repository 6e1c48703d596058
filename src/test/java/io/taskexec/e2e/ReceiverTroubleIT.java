package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Program;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Receivers that are down or hang, and what that means for them and for others. */
class ReceiverTroubleIT {
    private static final Duration BOUND = Duration.ofSeconds(60);
    private static final int HANGING = 1_000;

    private static List<String> create(Api api, String endpoint, int count) {
        var jobs = IntStream.range(0, count)
                .mapToObj(n -> """
                        {"endpoint": "%1$s", "trigger": "IMMEDIATE", "idempotency_key": "%1$s-%2$d", "input": {"n": 1}}
                        """.formatted(endpoint, n))
                .collect(Collectors.joining(","));
        return api.post("/jobs/batch", "{\"jobs\": [" + jobs + "]}").path("items.job.execution.execution_id");
    }

    @Test
    void whileAReceiverIsDownItsExecutionsWaitAndNoneIsBurnt() throws InterruptedException {
        var db = ServerDb.fresh(ReceiverTroubleIT.class);
        try (var receiver = new Receiver();
                var program = Program.serving(db)
                        .with("TE_BREAKER_MIN_ATTEMPTS", "5")
                        .with("TE_BREAKER_OPEN_SEC", "5")
                        .with("TE_WORKER_MAX_CONCURRENT", "5")
                        .startReady()) {
            var api = program.api();
            api.endpoint("down", receiver.uri("/"), Map.of("max_attempts", 3, "initial_delay_ms", 200));
            receiver.answer(Answer.of(503, "{}"));
            var executions = create(api, "down", 40);

            // One look at both: the reason is another one when it is half open.
            var _ = Eventually.await(
                    "the breaker opens",
                    BOUND,
                    () -> api.read("/endpoints/down/breaker"),
                    breaker -> breaker.getString("state").equals("OPEN")
                            && breaker.getString("reason").contains("attempts failed"));
            receiver.answer(Answer.of(200, "{}"));

            for (var id : executions) {
                Eventually.await(
                        "the execution succeeds",
                        BOUND,
                        () -> api.read("/executions/" + id).getString("status"),
                        status -> status.equals("SUCCESS"));
            }
            assertThat(api.read("/endpoints/down/breaker").getString("state")).isEqualTo("CLOSED");
            assertThat(api.read("/endpoints/down/events").<String>getList("items.kind"))
                    .contains("BREAKER_OPEN", "BREAKER_HALF_OPEN", "BREAKER_CLOSED");
        }
    }

    @Test
    void aThousandCallsThatHangDoNotStopOtherEndpoints() throws InterruptedException {
        var db = ServerDb.fresh(ReceiverTroubleIT.class);
        try (var hanging = new Receiver();
                var well = new Receiver();
                var program = Program.serving(db)
                        .with("TE_WORKER_MAX_CONCURRENT", "" + (HANGING + 50))
                        .startReady()) {
            var api = program.api();
            api.endpoint("hanging", hanging.uri("/"), Map.of("max_attempts", 1));
            api.endpoint("well", well.uri("/"), Map.of("max_attempts", 1));
            var never = new CompletableFuture<Void>();
            hanging.answer(Answer.of(200, "{}").after(never));
            var _ = create(api, "hanging", HANGING);
            // Some hang in their call and the others wait for a connection; all of them have a slot.
            Eventually.await(
                    "all of them run",
                    BOUND,
                    () -> db.number("SELECT count(*) FROM exec_live WHERE lease_token IS NOT NULL"),
                    running -> running == HANGING);
            var _ = hanging.awaitCount(100, BOUND);

            var executions = create(api, "well", 100);

            assertThat(well.awaitCount(100, Duration.ofSeconds(10))).hasSize(100);
            assertThat(executions).hasSize(100);
            assertThat(api.read("/jobs?limit=1").getList("items")).hasSize(1);
            never.complete(null);
        }
    }
}
