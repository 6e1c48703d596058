package io.taskexec.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Answer;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Program;
import io.taskexec.testing.Received;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** An execution that kills each worker that runs it, and those that have the bad luck of being claimed with it. */
class PoisonIT {
    private static final int OTHERS = 8;
    private static final int DEATHS = 4;
    private static final Duration BOUND = Duration.ofSeconds(90);

    private final ServerDb database = ServerDb.fresh(PoisonIT.class);
    private final Program.Setup setup = Program.serving(database);
    private final AtomicReference<Program> worker = new AtomicReference<>();
    private final AtomicInteger deaths = new AtomicInteger();
    private final CompletableFuture<Void> held = new CompletableFuture<>();

    @Test
    void whatKillsItsWorkersIsSetAsideAfterItsLimitAndWhatWasClaimedWithItEndsWell() throws InterruptedException {
        try (var receiver = new Receiver();
                var control = setup.arguments("--roles=api,scheduler").startReady()) {
            receiver.answer(this::answer);
            var api = control.api();
            api.endpoint("poison", receiver.uri("/poison"), Map.of("max_attempts", 1));
            api.endpoint("other", receiver.uri("/other"), Map.of("max_attempts", 1));
            var others = IntStream.range(0, OTHERS)
                    .mapToObj(n -> api.immediate("other", "other-" + n))
                    .toList();
            var poison = api.immediate("poison", "poison");

            startWorker();
            for (var n = 1; n <= DEATHS; n++) {
                var death = n;
                Eventually.await("worker " + n + " is dead", BOUND, () -> deaths.get() == death);
                startWorker();
            }
            var end = Eventually.await(
                    "it is set aside",
                    BOUND,
                    () -> api.read("/executions/" + poison),
                    execution -> execution.getString("status").equals("FAILED"));

            assertThat(end.getString("error.type")).isEqualTo("WORKER_LOST");
            assertThat(end.getString("error.message")).contains("4 workers died");
            for (var id : others) {
                assertThat(api.ended(id).getString("status")).isEqualTo("SUCCESS");
            }
            assertThat(deaths).hasValue(DEATHS);
            worker.get().close();
            Check.findsNothing(setup);
        } finally {
            worker.get().close();
        }
    }

    /** The others are under way when the first two workers die, so that they are lost with them. */
    private Answer answer(Received request) {
        if (request.path().equals("/other")) {
            return Answer.of(200, "{}").after(held);
        }
        worker.get().kill();
        if (deaths.incrementAndGet() == 2) {
            held.complete(null);
        }
        return Answer.of(200, "{}").after(new CompletableFuture<>());
    }

    /** Its lease is longer than its first calls take on a busy machine, so that only its death loses them. */
    private void startWorker() {
        worker.set(setup.arguments("--roles=worker")
                .with("TE_WORKER_LEASE_SEC", "8")
                .start());
    }
}
