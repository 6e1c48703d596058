package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Program;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Executions that give up their slots to more urgent ones. */
@ServerTest(env = "TE_WORKER_MAX_CONCURRENT=2", own = "Its executions take all slots, and it looks at the metrics.")
class PreemptionIT {
    private static final Duration BOUND = Duration.ofSeconds(30);

    @Inject
    private static Receiver receiver;

    @Inject
    private static Program program;

    @Inject
    private static Api api;

    private static Map<String, Object> endpoint(String name) {
        return new HashMap<>(Api.posting(name, receiver.uri("/" + name), Map.of("max_attempts", 1)));
    }

    private static String job(String endpoint, String key, int priority) {
        return api.create(
                        "/jobs",
                        Map.of(
                                "endpoint", endpoint,
                                "trigger", "IMMEDIATE",
                                "idempotency_key", key,
                                "priority", priority,
                                "input", Map.of("n", key)))
                .getString("execution.execution_id");
    }

    @Test
    void whenAllSlotsAreTakenAnUrgentJobTakesThatOfAPreemptibleOneWhichSucceedsLater() throws Exception {
        var endpoint = endpoint("slow");
        endpoint.put("preemptible", true);
        assertThat(api.create("/endpoints", endpoint).getBoolean("preemptible")).isTrue();
        assertThat(api.create("/endpoints", endpoint("quick")).getBoolean("preemptible"))
                .isFalse();
        var answered = new CompletableFuture<Void>();
        receiver.answer(request ->
                request.path().equals("/slow") ? Answer.of(200, "{}").after(answered) : Answer.of(200, "{}"));
        var slow =
                IntStream.range(0, 2).mapToObj(i -> job("slow", "slow-" + i, 4)).toList();
        var _ = receiver.awaitCount(2, BOUND);

        var urgent = api.ended(job("quick", "urgent", 0));
        assertThat(urgent.getString("status")).isEqualTo("SUCCESS");

        answered.complete(null);
        for (var id : slow) {
            assertThat(api.ended(id).getString("status")).isEqualTo("SUCCESS");
        }
        var preempted = slow.stream()
                .filter(id -> api.attemptStatuses(id).equals(List.of("INTERRUPTED", "SUCCESS")))
                .toList();
        assertThat(preempted).hasSize(1);
        assertThat(api.get("/executions/" + preempted.getFirst() + "/logs").asString())
                .contains("preempted by an execution of priority 0, due again at once");
        Eventually.await("the metric", BOUND, PreemptionIT::isCounted);
    }

    private static boolean isCounted() {
        try {
            return program.manage("/q/metrics", "text/plain; version=0.0.4")
                    .body()
                    .contains("taskexec_preempted_total 1.0");
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void whatMustNotBeDeliveredTwiceCannotBePreemptible() {
        var endpoint = endpoint("once");
        endpoint.put("preemptible", true);
        endpoint.put("on_worker_lost", "fail");
        var response = api.post("/endpoints", endpoint);

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.asString()).contains("/preemptible", "on_worker_lost");
        assertThat(api.get("/endpoints/once").statusCode()).isEqualTo(404);
    }
}
