package io.taskexec.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.HostClock;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.Program;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ShutdownIT {
    private static final int EACH = 5;
    /** A worker that is not told of work handed back then finds it 3 s later: from its start it looks every 4 s. */
    private static final int TIMEOUT_SEC = 5;

    /** Less than that, and enough for a worker that is told, on a busy machine too. */
    private static final int LONGEST_PAUSE_MS = 2_500;

    private static final int CALLERS = 8;
    private static final Duration BOUND = Duration.ofSeconds(20);
    private static final Duration EXIT_BOUND = Duration.ofSeconds(TIMEOUT_SEC + 10);

    private static final String WAITING = "SELECT count(*) FROM pg_stat_activity"
            + " WHERE datname = current_database() AND wait_event_type = 'Lock'";

    private final ServerDb database = ServerDb.fresh(ShutdownIT.class);
    private final Program.Setup setup = Program.serving(database);

    @Test
    void aWorkerThatIsToldToStopFinishesWhatItCanAndHandsBackTheRest() throws InterruptedException {
        var quick = new CompletableFuture<Void>();
        var never = new CompletableFuture<Void>();
        try (var receiver = new Receiver();
                var control = setup.arguments("--roles=api,scheduler").startReady();
                var stopping = setup.arguments("--roles=worker")
                        .with("TE_WORKER_SHUTDOWN_TIMEOUT_SEC", "" + TIMEOUT_SEC)
                        .startReady()) {
            receiver.answer(request -> Answer.of(200, "{}").after(request.path().equals("/quick") ? quick : never));
            control.api().endpoint("quick", receiver.uri("/quick"), Map.of("max_attempts", 1));
            control.api().endpoint("slow", receiver.uri("/slow"), Map.of("max_attempts", 1));
            var finished = create(control.api(), "quick");
            var cut = create(control.api(), "slow");
            var _ = receiver.awaitCount(2 * EACH, BOUND);

            try (var _ = setup.arguments("--roles=worker").startReady()) {
                receiver.answer(Answer.of(200, "{}"));
                var stolen = HostClock.stolen();
                stopping.terminate();
                stopping.awaitDraining();
                quick.complete(null);
                var _ = stopping.awaitExit(EXIT_BOUND);

                for (var executionId : finished) {
                    assertThat(control.api().ended(executionId).getString("status"))
                            .isEqualTo("SUCCESS");
                    assertThat(control.api().attemptStatuses(executionId)).containsExactly("SUCCESS");
                }
                for (var executionId : cut) {
                    assertThat(control.api().ended(executionId).getString("status"))
                            .isEqualTo("SUCCESS");
                    assertThat(control.api().attemptStatuses(executionId)).containsExactly("INTERRUPTED", "SUCCESS");
                }
                assertThat(receiver.requests()).hasSize(3 * EACH);
                assertThat(longestPauseMs())
                        .as("from being handed back to the next claim")
                        .isLessThan(LONGEST_PAUSE_MS
                                + HostClock.stolen().minus(stolen).toMillis());
                assertThat(database.texts("SELECT worker_id FROM workers"))
                        .as("workers")
                        .hasSize(1);
                assertThat(stopping.errors()).isEmpty();
            }
        }
    }

    @Test
    void anApiThatIsToldToStopAnswersEveryRequestThatItStillTakes() throws Exception {
        try (var stopping = setup.arguments("--roles=api").startReady();
                var callers = Executors.newFixedThreadPool(CALLERS)) {
            var called = new CountDownLatch(CALLERS);
            var statuses = IntStream.range(0, CALLERS)
                    .mapToObj(_ -> callers.submit(() -> statusesUntilGone(stopping, called)))
                    .toList();
            called.await();
            stopping.terminate();

            for (var status : statuses) {
                assertThat(status.get()).contains(200).isSubsetOf(200, 503);
            }
            assertThat(stopping.errors()).isEmpty();
        }
    }

    @Test
    @NeedsOwnServer("It locks a table.")
    void anApiThatIsToldToStopAnswersTheRequestsThatAreUnderWay() throws Exception {
        // So that no request gives up its wait for the table; what counts as stuck must take longer.
        var patient = setup.arguments("--roles=api")
                .with("TE_DB_STATEMENT_TIMEOUT_MS", "10000")
                .with("TE_HEALTH_STALL_SEC", "72");
        try (var stopping = patient.startReady();
                var client = HttpClient.newHttpClient();
                var locking = database.connect()) {
            locking.setAutoCommit(false);
            try (var statement = locking.createStatement()) {
                var _ = statement.execute("LOCK TABLE jobs IN ACCESS EXCLUSIVE MODE");
            }
            var answers = IntStream.range(0, CALLERS)
                    .mapToObj(_ -> client.sendAsync(jobsOf(stopping), HttpResponse.BodyHandlers.discarding()))
                    .toList();
            Eventually.await("all of them wait for the table", BOUND, () -> database.number(WAITING) >= CALLERS);
            stopping.terminate();
            Eventually.await(
                    "new requests are refused",
                    BOUND,
                    () -> stopping.api().get("/nothing").statusCode() == 503);
            locking.rollback();

            for (var answer : answers) {
                assertThat(answer.get().statusCode()).isEqualTo(200);
            }
            assertThat(stopping.errors()).isEmpty();
        }
    }

    @Test
    void anApiServesUntilTheCallsOfItsProcessHaveEnded() throws InterruptedException {
        var slow = new CompletableFuture<Void>();
        try (var receiver = new Receiver();
                var stopping = setup.startReady()) {
            receiver.answer(_ -> Answer.of(200, "{}").after(slow));
            stopping.api().endpoint("slow", receiver.uri("/slow"), Map.of());
            var execution = stopping.api().immediate("slow", "slow");
            var _ = receiver.awaitCount(1, BOUND);
            stopping.terminate();
            stopping.awaitDraining();

            assertThat(stopping.api().read("/executions/" + execution).getString("status"))
                    .isEqualTo("RUNNING");
            slow.complete(null);
            var _ = stopping.awaitExit(EXIT_BOUND);
            assertThat(database.texts("SELECT status FROM executions")).containsExactly("SUCCESS");
            assertThat(stopping.errors()).isEmpty();
        }
    }

    @Test
    void aRequestThatWaitsForAnEndIsAnsweredWhenItsServerStops() throws Exception {
        try (var stopping = setup.arguments("--roles=api").startReady();
                var client = HttpClient.newHttpClient()) {
            stopping.api().endpoint("later", URI.create("http://127.0.0.1:9/"), Map.of());
            var request = HttpRequest.newBuilder(stopping.api().uri("/jobs?wait=PT1M"))
                    .header("Authorization", "Bearer " + stopping.api().key())
                    .header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString(
                            "{\"endpoint\": \"later\", \"idempotency_key\": \"later\"}"))
                    .build();
            var answer = client.sendAsync(request, HttpResponse.BodyHandlers.ofString());
            Eventually.await("the job", BOUND, () -> database.number("SELECT count(*) FROM exec_live") == 1);
            assertThat(answer).isNotDone();
            stopping.terminate();

            assertThat(answer.get().statusCode()).isEqualTo(201);
            assertThat(stopping.errors()).isEmpty();
        }
    }

    /** The statuses of one request after the other, until the process has ended. */
    private static Set<Integer> statusesUntilGone(Program program, CountDownLatch called) throws InterruptedException {
        var statuses = new HashSet<Integer>();
        var request = jobsOf(program);
        try (var client = HttpClient.newHttpClient()) {
            while (program.isAlive()) {
                try {
                    var response = client.send(request, HttpResponse.BodyHandlers.discarding());
                    if (statuses.add(response.statusCode())) {
                        called.countDown();
                    }
                } catch (IOException _) {
                    // Not taken: the listener is gone, or the connection was closed while it was idle.
                    Thread.onSpinWait();
                }
            }
        }
        return statuses;
    }

    private static HttpRequest jobsOf(Program program) {
        return HttpRequest.newBuilder(program.api().uri("/jobs"))
                .header("Authorization", "Bearer " + program.api().key())
                .build();
    }

    private static List<String> create(Api api, String endpoint) {
        return IntStream.range(0, EACH)
                .mapToObj(n -> api.immediate(endpoint, "key-" + n))
                .toList();
    }

    private long longestPauseMs() {
        return database.number("""
                SELECT ceil(max(extract(epoch FROM e.started_at - a.completed_at)) * 1000)::bigint
                FROM executions e JOIN attempts a ON a.execution_id = e.execution_id""");
    }
}
