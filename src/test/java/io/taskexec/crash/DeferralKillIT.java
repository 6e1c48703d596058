package io.taskexec.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.embedded.UnsteadyServer;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.Program;
import io.taskexec.testing.Received;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import java.net.URI;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Deferred executions end by callbacks, polls and timeouts, although all processes and the database are killed. */
@NeedsOwnServer("It crashes its server.")
class DeferralKillIT {
    private static final int EACH = Integer.getInteger("taskexec.deferrals", 40);
    private static final Duration BOUND = Duration.ofMinutes(2);

    private static final String WAITING =
            "SELECT count(*) FROM pg_stat_activity WHERE cardinality(pg_blocking_pids(pid)) > 0";

    /** The backend that records an answer, and waits for a lock. */
    private static final String BACKEND =
            "FROM pg_stat_activity WHERE cardinality(pg_blocking_pids(pid)) > 0 AND query LIKE '%INTO deferrals%'";

    private static final String RECORDING = "SELECT count(*) " + BACKEND;
    private static final String ENDED_RECORDING = "SELECT count(pg_terminate_backend(pid)) " + BACKEND;

    /** Deliveries whose answers never come. */
    private static final int UNANSWERED = 3;

    private final CompletableFuture<Void> never = new CompletableFuture<>();
    private final AtomicInteger called = new AtomicInteger();
    private final AtomicInteger unheard = new AtomicInteger();
    private volatile boolean done;
    private volatile List<Api> addresses = List.of();

    /** Callbacks are being recorded, and polls are under way, when all is killed. */
    @Test
    void eachDeferredExecutionEndsOnceAlthoughAllIsKilled() throws Exception {
        try (var server = UnsteadyServer.start("deferral-database");
                var receiver = new Receiver();
                var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            var database = ServerDb.at(server.url());
            database.empty();
            var setup = Program.serving(database)
                    .with("TE_PUBLIC_URL", "http://public.invalid")
                    .with("TE_WORKER_SILENCE_SEC", "11")
                    .with("TE_RECLAIM_INTERVAL_SEC", "1");
            receiver.answer(this::answer);
            var calls = new ArrayList<Future<?>>();
            try (var one = setup.startReady();
                    var other = setup.startReady()) {
                addresses = List.of(one.api(), other.api());
                register(one.api(), receiver);
                for (var i = 0; i < EACH; i++) {
                    create(one.api(), "called", i);
                    create(other.api(), "polled", i);
                    create(one.api(), "silent", i);
                }
                Eventually.await(
                        "all are deferred, and some are just being polled",
                        BOUND,
                        () -> polls(receiver.requests()) > EACH / 4
                                && database.number("SELECT count(*) FROM exec_live WHERE deferred")
                                        == 3 * EACH - UNANSWERED);
                var calledBack = firstDeliveries(receiver.requests());
                beginToCallBack(
                        database, () -> calledBack.forEach(it -> calls.add(callers.submit(() -> insist(it)))), () -> {
                            one.kill();
                            server.crash();
                            other.kill();
                        });
            }
            assertThat(calls).as("callbacks that are not heard yet").anyMatch(call -> !call.isDone());
            server.startAgain();
            done = true;
            try (var late = setup.startReady()) {
                addresses = List.of(late.api());
                Eventually.await("all have ended", BOUND, () -> database.number("SELECT count(*) FROM exec_live") == 0);
                for (var call : calls) {
                    var _ = call.get();
                }
                assertThat(unheard).as("calls that met the crash").hasPositiveValue();
                check(late.api(), database, receiver.requests());
                firstDeliveries(receiver.requests())
                        .forEach(it -> assertThat(callBack(late.api(), it)).isEqualTo(200));
                Check.findsNothing(setup);
            }
        }
    }

    /** Keeps the database from recording some of the callbacks until all is killed. */
    private static void beginToCallBack(ServerDb database, Runnable callBacks, Runnable kill)
            throws InterruptedException {
        try (var holder = database.connect();
                var statement = holder.createStatement()) {
            holder.setAutoCommit(false);
            var _ = statement.executeQuery("""
                    SELECT l.execution_id FROM exec_live l JOIN jobs j ON j.job_id = l.job_id
                    WHERE j.endpoint = 'called' ORDER BY l.execution_id LIMIT %d FOR UPDATE OF l
                    """.formatted(EACH / 2));
            callBacks.run();
            Eventually.await("callbacks are just being recorded", BOUND, () -> database.number(WAITING) > 0);
            kill.run();
        } catch (SQLException _) {
            // The lock went with the database, and its connection cannot even be closed.
        }
    }

    /**
     * The worker has the 202, and dies before this is recorded. Its attempt is lost, and the receiver, which is at work
     * since the first delivery, answers that one.
     */
    @Test
    void aCallbackOfAnAttemptWhoseAnswerWasNotRecordedBeforeItsWorkerDiedIsTheEnd() throws Exception {
        var database = ServerDb.fresh(DeferralKillIT.class);
        var setup = Program.serving(database).with("TE_PUBLIC_URL", "http://public.invalid");
        var released = new CompletableFuture<Void>();
        try (var receiver = new Receiver();
                var control = setup.arguments("--roles=api,scheduler")
                        .with("TE_WORKER_SILENCE_SEC", "11")
                        .with("TE_RECLAIM_INTERVAL_SEC", "1")
                        .startReady();
                var doomed = setup.arguments("--roles=worker").startReady()) {
            receiver.answer(
                    _ -> Answer.of(202, "{}").with("Taskexec-Defer", "callback").after(released));
            var api = control.api();
            register(api, receiver);
            var id = api.immediate("called", "lost");
            var first = receiver.awaitCount(1, BOUND).getFirst();

            try (var holder = database.connect();
                    var statement = holder.createStatement()) {
                holder.setAutoCommit(false);
                var _ = statement.executeQuery("SELECT execution_id FROM exec_live FOR UPDATE");
                released.complete(null);
                Eventually.await("the answer is just being recorded", BOUND, () -> database.number(RECORDING) == 1);
                doomed.kill();
                // Otherwise the database would still run the statement of the killed process.
                assertThat(database.number(ENDED_RECORDING)).isEqualTo(1);
                Eventually.await("it was not recorded", BOUND, () -> database.number(RECORDING) == 0);
                holder.rollback();
            }
            assertThat(database.number("SELECT count(*) FROM exec_live WHERE deferred"))
                    .isZero();
            try (var _ = setup.arguments("--roles=worker").startReady()) {
                var second = receiver.awaitCount(2, BOUND).getLast();
                assertThat(second.header("Taskexec-Attempt")).isEqualTo("2");
                assertThat(token(second)).isNotEqualTo(token(first));
                Eventually.await(
                        "the second attempt is deferred",
                        BOUND,
                        () -> api.read("/executions/" + id).getString("status").equals("DEFERRED"));

                assertThat(callBack(api, first)).isEqualTo(200);

                assertThat(api.read("/executions/" + id).getString("status")).isEqualTo("SUCCESS");
                assertThat(api.attemptStatuses(id)).containsExactly("LOST", "SUCCESS");
                assertThat(callBack(api, first)).as("the same once more").isEqualTo(200);
                assertThat(api.bare()
                                .body("{\"status\": \"failed\", \"error\": {\"message\": \"late\"}}")
                                .post(token(second))
                                .statusCode())
                        .isEqualTo(409);
                assertThat(database.number("SELECT count(*) FROM executions")).isEqualTo(1);
                assertThat(receiver.requests()).hasSize(2);
                Check.findsNothing(setup);
            }
        }
    }

    private static void register(Api api, Receiver receiver) {
        for (var name : List.of("called", "polled", "silent")) {
            var _ = api.create("/endpoints", """
                    {"name": "%s", "type": "HTTP", "completion": {"modes": ["callback", "poll"]},
                      "retry_policy": {"max_attempts": 1}, "spec": {"url": "%s", "method": "POST"}}
                    """.formatted(name, receiver.uri("/" + name)));
        }
    }

    private static void create(Api api, String endpoint, int number) {
        var _ = api.create("/jobs", """
                {"endpoint": "%s", "trigger": "IMMEDIATE", "idempotency_key": "key-%d"}
                """.formatted(endpoint, number));
    }

    private Answer answer(Received request) {
        if (request.method().equals("GET")) {
            return done ? Answer.of(200, "{}") : Answer.of(202, "{}").after(never);
        }
        var answer = Answer.of(202, "{}");
        return switch (request.path()) {
            case "/called" -> {
                var callback = answer.with("Taskexec-Defer", "callback");
                yield called.incrementAndGet() <= UNANSWERED ? callback.after(never) : callback;
            }
            case "/silent" -> answer.with("Taskexec-Defer", "callback; timeout=30");
            default -> answer.with("Taskexec-Defer", "poll; every=5").with("Location", "/status");
        };
    }

    private static long polls(List<Received> requests) {
        return requests.stream()
                .filter(request -> request.method().equals("GET"))
                .count();
    }

    /** The first delivery of each execution that is to be called back. */
    private static List<Received> firstDeliveries(List<Received> requests) {
        var first = requests.stream()
                .filter(request -> request.path().equals("/called"))
                .collect(Collectors.toMap(
                        request -> String.valueOf(request.header("Idempotency-Key")), it -> it, (one, _) -> one));
        return new ArrayList<>(first.values());
    }

    /** The path of its callback. */
    private static String token(Received delivery) {
        return URI.create(String.valueOf(delivery.header("Taskexec-Callback-Url")))
                .getPath();
    }

    private static int callBack(Api api, Received delivery) {
        return api.bare()
                .body("{\"status\": \"succeeded\", \"output\": {\"of\": \"%s\"}}"
                        .formatted(delivery.header("Idempotency-Key")))
                .post(token(delivery))
                .statusCode();
    }

    /** Calls back until it is heard. Whatever came of the answer: the attempt has not failed. */
    private @Nullable Void insist(Received delivery) throws InterruptedException {
        Eventually.await(
                "a callback is heard", BOUND, () -> addresses.stream().anyMatch(api -> isHeard(api, delivery)));
        return null;
    }

    @SuppressWarnings("IllegalCatch") // A refused connection comes as one of several exceptions, checked or not.
    private boolean isHeard(Api api, Received delivery) {
        int status;
        try {
            status = callBack(api, delivery);
        } catch (Exception _) {
            unheard.incrementAndGet();
            return false;
        }
        assertThat(status).isIn(200, 429, 503);
        if (status != 200) {
            unheard.incrementAndGet();
        }
        return status == 200;
    }

    private static void check(Api api, ServerDb database, List<Received> requests) {
        assertThat(requests.stream()
                        .filter(request -> request.method().equals("POST"))
                        .map(request -> request.header("Idempotency-Key") + " " + request.header("Taskexec-Attempt"))
                        .toList())
                .doesNotHaveDuplicates();
        var ends = Map.of("called", "SUCCESS", "polled", "SUCCESS", "silent", "FAILED");
        ends.forEach((endpoint, status) -> assertThat(database.number("""
                        SELECT count(*) FROM executions x JOIN jobs j ON j.job_id = x.job_id
                        WHERE j.endpoint = '%s' AND x.status = '%s'
                        """.formatted(endpoint, status)))
                .as(endpoint)
                .isEqualTo(EACH));
        assertThat(database.number("SELECT count(*) FROM executions WHERE error ->> 'type' = 'DEFERRAL_TIMEOUT'"))
                .isEqualTo(EACH);
        assertThat(api.read("/executions?status=SUCCESS&endpoint=called").getString("items[0].output.json.of"))
                .startsWith("exec_");
    }
}
