package io.taskexec.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.HostClock;
import io.taskexec.testing.Program;
import io.taskexec.testing.Received;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A queue is paused while two processes work in it. */
class QueuePauseIT {
    private static final int JOBS = 3_000;
    private static final Duration BOUND = Duration.ofSeconds(90);

    /** After the answer to a pause nothing begins later than this. */
    private static final Duration EXACT = Duration.ofMillis(200);

    /** It should be a second. This is enough on a busy machine, and less than the 4 s until an idle worker looks. */
    private static final Duration SOON = Duration.ofSeconds(3);

    private static final String IN_MAIL = " JOIN jobs USING (job_id) WHERE jobs.endpoint = 'mail'";

    @Test
    void aPauseHoldsForAllProcessesAndEverythingIsDeliveredOnceAfterwards() throws InterruptedException {
        var database = ServerDb.fresh(QueuePauseIT.class);
        var setup = Program.serving(database);
        try (var receiver = new Receiver();
                var server = setup.arguments("--roles=api,scheduler").startReady();
                var _ = setup.arguments("--roles=worker").startReady();
                var _ = setup.arguments("--roles=worker").startReady()) {
            var api = server.api();
            receiver.answer(_ -> Answer.of(200, "{}")
                    .after(CompletableFuture.runAsync(
                            () -> {}, CompletableFuture.delayedExecutor(200, TimeUnit.MILLISECONDS))));
            register(api, receiver, "mail");
            api.endpoint("other", receiver.uri("/other"), Map.of("max_attempts", 1));
            create(api, "mail", JOBS);
            var _ = receiver.awaitCount(JOBS / 10, BOUND);

            var paused = api.post("/queues/mail/pause", Map.of("reason", "repairs"));
            var answeredAt = Instant.now();

            assertThat(paused.statusCode()).isEqualTo(200);
            Eventually.await(
                    "what ran has ended and what was claimed is handed back",
                    BOUND,
                    () -> database.number("SELECT count(*) FROM exec_live WHERE lease_token IS NOT NULL") == 0);
            var delivered = to("/mail", receiver);
            create(api, "other", 200);
            awaitAll("/other", 200, receiver);

            assertThat(to("/mail", receiver)).as("nothing begins meanwhile").isEqualTo(delivered);
            assertThat(delivered).isLessThan(JOBS);
            assertThat(database.number("SELECT count(*) FROM executions" + IN_MAIL + " AND started_at > '"
                            + answeredAt.plus(EXACT) + "'"))
                    .isZero();
            assertThat(database.number("SELECT count(*) FROM exec_live" + IN_MAIL
                            + " AND (attempt > 0 OR failures > 0 OR started_at IS NOT NULL)"))
                    .as("what was handed back has lost nothing")
                    .isZero();

            resumes(api, receiver, database);
            Check.findsNothing(setup);
        }
    }

    private static void resumes(Api api, Receiver receiver, ServerDb database) throws InterruptedException {
        assertThat(api.post("/queues/mail/resume", Map.of()).statusCode()).isEqualTo(200);
        var resumedAt = Instant.now();
        var stolen = HostClock.stolen();
        awaitAll("/mail", JOBS, receiver);

        var first = receiver.requests().stream()
                .filter(request -> request.path().equals("/mail"))
                .map(Received::arrivedAt)
                .filter(at -> at.isAfter(resumedAt.minus(Duration.ofMillis(500))))
                .min(Instant::compareTo)
                .orElseThrow();
        assertThat(Duration.between(resumedAt, first))
                .isLessThan(SOON.plus(HostClock.stolen().minus(stolen)));
        Eventually.await("nothing is left to do", BOUND, () -> database.number("SELECT count(*) FROM exec_live") == 0);
        assertThat(to("/mail", receiver)).as("each is delivered once").isEqualTo(JOBS);
        assertThat(database.texts("SELECT status || ' ' || attempt_count FROM executions GROUP BY 1"))
                .containsExactly("SUCCESS 1");
    }

    @Test
    void aPauseEndsByItselfWhileAllIsIdle() throws InterruptedException {
        var database = ServerDb.fresh(QueuePauseIT.class);
        var setup = Program.serving(database);
        try (var receiver = new Receiver();
                var server = setup.startReady()) {
            var api = server.api();
            register(api, receiver, "mail");
            // So that what a process does for the first time takes no time later.
            create(api, "mail", 1);
            var _ = receiver.awaitCount(1, BOUND);
            receiver.clear();
            var stolen = HostClock.stolen();
            // A worker that slept on would look at the creation, 4 s later, and then more than SOON after this.
            var until = Instant.now().plusSeconds(5);
            var paused = api.post("/queues/mail/pause", Map.of("until", until.toString()));
            assertThat(paused.jsonPath().getBoolean("paused")).isTrue();
            // For as long something may begin after the answer.
            LockSupport.parkNanos(EXACT.toNanos());
            var late = api.post("/jobs", Api.immediateJob("mail", "late"));
            assertThat(late.statusCode()).isEqualTo(201);

            var arrived = receiver.awaitCount(1, BOUND).getFirst().arrivedAt();

            assertThat(arrived)
                    .isBetween(until, until.plus(SOON).plus(HostClock.stolen().minus(stolen)));
            assertThat(api.read("/queues/mail").getMap("$")).containsEntry("paused", false);
        }
    }

    private static void register(Api api, Receiver receiver, String name) {
        var endpoint = new HashMap<>(Api.posting(name, receiver.uri("/" + name), Map.of("max_attempts", 1)));
        endpoint.put("queue", name);
        var _ = api.create("/endpoints", endpoint);
    }

    private static void create(Api api, String endpoint, int count) {
        IntStream.range(0, (count + 999) / 1000).forEach(batch -> {
            var jobs = IntStream.range(batch * 1000, Math.min(count, (batch + 1) * 1000))
                    .mapToObj(n -> Api.immediateJob(endpoint, "key-" + n))
                    .toList();
            var statuses =
                    api.post("/jobs/batch", Map.of("jobs", jobs)).jsonPath().<Integer>getList("items.status");
            assertThat(statuses).hasSize(jobs.size()).containsOnly(201);
        });
    }

    private static void awaitAll(String path, int count, Receiver receiver) throws InterruptedException {
        Eventually.await(path + " gets all", BOUND, () -> to(path, receiver) >= count);
    }

    private static int to(String path, Receiver receiver) {
        return (int) receiver.requests().stream()
                .filter(request -> request.path().equals(path))
                .count();
    }
}
