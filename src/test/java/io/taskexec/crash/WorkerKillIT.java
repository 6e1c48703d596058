package io.taskexec.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Program;
import io.taskexec.testing.Received;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WorkerKillIT {
    private static final int SLOTS = 20;
    private static final int QUEUED = 10;
    private static final Duration BOUND = Duration.ofSeconds(20);

    /** Silence of 11 s, a look every second, a second's grace and a busy machine; a lease alone would hold for 60 s. */
    private static final Duration RESCUE_BOUND = Duration.ofSeconds(45);

    private final ServerDb database = ServerDb.fresh(WorkerKillIT.class);
    private final Program.Setup setup = Program.serving(database);

    @Test
    void whatAKilledWorkerHadInFlightIsDeliveredByAnother() throws InterruptedException {
        var held = new CompletableFuture<Void>();
        try (var receiver = new Receiver();
                var control = setup.arguments("--roles=api,scheduler")
                        .with("TE_WORKER_SILENCE_SEC", "11")
                        .with("TE_RECLAIM_INTERVAL_SEC", "1")
                        .startReady();
                var doomed = worker().startReady()) {
            receiver.answer(Answer.of(200, "{}").after(held));
            control.api().endpoint("held", receiver.uri("/"), Map.of("max_attempts", 1));
            var inFlight = create(control.api(), "in-flight-", SLOTS);
            var _ = receiver.awaitCount(SLOTS, BOUND);
            var dead = database.texts("SELECT worker_id FROM workers").getFirst();

            try (var survivor = worker().startReady()) {
                var queued = create(control.api(), "queued-", QUEUED);
                var _ = receiver.awaitCount(SLOTS + QUEUED, BOUND);

                doomed.kill();
                var killedAt = Instant.now();
                receiver.answer(Answer.of(200, "{}"));
                held.complete(null);
                var requests = receiver.awaitCount(2 * SLOTS + QUEUED, RESCUE_BOUND);

                for (var executionId : queued) {
                    assertThat(control.api().ended(executionId).getString("status"))
                            .isEqualTo("SUCCESS");
                    assertThat(control.api().attemptStatuses(executionId)).containsExactly("SUCCESS");
                }
                for (var executionId : inFlight) {
                    checkRescued(control.api(), executionId);
                }
                checkRequests(requests, inFlight, killedAt);
                checkRows(inFlight, dead);
                assertThat(control.output()).contains("are silent, " + SLOTS + " executions are due again");
                assertThat(survivor.output()).doesNotContain("ERROR");
                Check.findsNothing(setup);
            }
        }
    }

    private Program.Setup worker() {
        return setup.arguments("--roles=worker").with("TE_WORKER_MAX_CONCURRENT", "" + SLOTS);
    }

    private static List<String> create(Api api, String prefix, int count) {
        return IntStream.range(0, count)
                .mapToObj(n -> api.immediate("held", prefix + n))
                .toList();
    }

    /** One attempt is all that the endpoint allows, and the lost one does not count. */
    private static void checkRescued(Api api, String executionId) throws InterruptedException {
        var execution = api.ended(executionId);
        assertThat(execution.getString("status")).isEqualTo("SUCCESS");
        assertThat(execution.getInt("max_attempts")).isEqualTo(1);
        var attempts = api.attempts(executionId);
        assertThat(attempts).extracting(attempt -> attempt.get("status")).containsExactly("LOST", "SUCCESS");
        assertThat(attempts).extracting(attempt -> attempt.get("worker_id")).doesNotHaveDuplicates();
    }

    private static void checkRequests(List<Received> requests, List<String> inFlight, Instant killedAt) {
        var again = requests.stream().filter(attempt("2")).toList();
        assertThat(again).hasSize(SLOTS).allMatch(request -> request.arrivedAt().isAfter(killedAt));
        assertThat(new HashSet<>(again.stream()
                        .map(request -> String.valueOf(request.header("Idempotency-Key")))
                        .toList()))
                .isEqualTo(new HashSet<>(inFlight));
        assertThat(requests.stream().filter(attempt("1"))).hasSize(SLOTS + QUEUED);
    }

    private static Predicate<Received> attempt(String number) {
        return request -> number.equals(request.header("Taskexec-Attempt"));
    }

    private void checkRows(List<String> inFlight, String dead) {
        var lost = inFlight.stream().map(id -> Api.uuid(id) + " 1 LOST " + dead);
        assertThat(database.texts("SELECT execution_id || ' ' || attempt_number || ' ' || status || ' ' || worker_id"
                        + " FROM attempts"))
                .containsExactlyInAnyOrderElementsOf(lost.toList());
        assertThat(database.texts("SELECT worker_id FROM workers")).hasSize(1).doesNotContain(dead);
        assertThat(database.number("SELECT count(*) FROM exec_live")).isZero();
    }
}
