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
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A receiver that refuses calls gets as many at once as it takes, from two workers together and when one is killed. */
class AdaptiveKillIT {
    private static final Duration BOUND = Duration.ofSeconds(90);
    private static final int TAKEN_AT_ONCE = 8;
    private static final int JOBS = 2_000;

    private final ServerDb database = ServerDb.fresh(AdaptiveKillIT.class);
    private final Program.Setup setup = Program.serving(database);
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();

    @Test
    void twoWorkersFindWhatAReceiverTakesAndLoseNothingWhenOneIsKilled() throws InterruptedException {
        try (var receiver = new Receiver();
                var control = setup.arguments("--roles=api,scheduler").startReady();
                var _ = worker().startReady()) {
            var api = control.api();
            receiver.answer(this::takeOrRefuse);
            var _ = api.create(
                    "/endpoints",
                    Api.posting("crowded", receiver.uri("/"), Map.of("max_attempts", 20, "initial_delay_ms", 100)));
            var doomed = worker().startReady();
            create(api);
            var _ = receiver.awaitCount(JOBS / 4, BOUND);
            doomed.kill();
            Eventually.await(
                    "all have ended",
                    BOUND,
                    () -> database.number("SELECT count(*) FROM executions WHERE status = 'SUCCESS'") == JOBS);

            assertThat(refused.get()).isLessThan(JOBS / 2);
            var breaker = api.get("/endpoints/crowded/breaker").jsonPath();
            assertThat(breaker.getString("state")).isEqualTo("CLOSED");
            assertThat(breaker.getInt("adaptive_limit")).isBetween(1, 4 * TAKEN_AT_ONCE);
            List<String> kinds = api.get("/endpoints/crowded/events").jsonPath().getList("items.kind");
            assertThat(kinds).containsExactly("LIMITED");
            assertThat(database.number("SELECT coalesce(sum(open), 0) FROM flow_limits"))
                    .isZero();
            Check.findsNothing(setup);

            var _ = api.update("/endpoints/crowded", Api.posting("crowded", receiver.uri("/new"), Map.of()));
            assertThat(api.get("/endpoints/crowded/breaker").jsonPath().getMap(""))
                    .doesNotContainKey("adaptive_limit");
        }
    }

    private Program.Setup worker() {
        return setup.arguments("--roles=worker").with("TE_WORKER_LEASE_SEC", "3");
    }

    private Answer takeOrRefuse(Received request) {
        if (running.incrementAndGet() > TAKEN_AT_ONCE) {
            running.decrementAndGet();
            refused.incrementAndGet();
            return Answer.of(429, "too many");
        }
        var end = new CompletableFuture<Void>();
        CompletableFuture.delayedExecutor(20, TimeUnit.MILLISECONDS).execute(() -> {
            running.decrementAndGet();
            end.complete(null);
        });
        return Answer.of(200, "{}").after(end);
    }

    private static void create(Api api) {
        for (var from = 0; from < JOBS; from += 500) {
            var jobs = IntStream.range(from, from + 500)
                    .mapToObj(n -> Api.immediateJob("crowded", "crowded-" + n))
                    .toList();
            var _ = api.post("/jobs/batch", Map.of("jobs", jobs));
        }
    }
}
