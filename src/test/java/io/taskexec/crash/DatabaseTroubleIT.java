package io.taskexec.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.embedded.UnsteadyServer;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.HostClock;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.Program;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One program that is never restarted, on a PostgreSQL that gets into all kinds of trouble. */
@NeedsOwnServer("It stops and freezes its server.")
class DatabaseTroubleIT {
    private static final String DEADLOCK = "40P01";
    private static final int STATEMENT_TIMEOUT_MS = 1500;

    /** The time of a statement, two seconds of patience more, and a busy machine. */
    private static final Duration ANSWER_BOUND = Duration.ofSeconds(12);

    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final Duration RECOVERY_BOUND = Duration.ofSeconds(20);

    private static final int CREATED = 201;
    private static final int UNAVAILABLE = 503;
    private static final int SOME = 20;

    private static UnsteadyServer server;
    private static ServerDb database;
    private static Program program;
    private static Receiver receiver;
    private static Api api;

    private CompletableFuture<Void> held;

    @BeforeAll
    static void start() throws InterruptedException {
        server = UnsteadyServer.start("unsteady-database");
        database = ServerDb.at(server.url());
        database.empty();
        receiver = new Receiver();
        program = Program.serving(database)
                .with("TE_DB_STATEMENT_TIMEOUT_MS", String.valueOf(STATEMENT_TIMEOUT_MS))
                .with("TE_WORKER_SILENCE_SEC", "11")
                .startReady();
        api = program.api();
        api.endpoint("steady", receiver.uri("/steady"), Map.of("max_attempts", 1));
        api.endpoint("held", receiver.uri("/held"), Map.of("max_attempts", 1));
    }

    @AfterAll
    static void stop() {
        program.close();
        receiver.close();
        server.close();
    }

    @BeforeEach
    void holdOneBack() {
        receiver.clear();
        held = new CompletableFuture<>();
        receiver.answer(
                request -> request.path().equals("/held") ? Answer.of(200, "{}").after(held) : Answer.of(200, "{}"));
    }

    @AfterEach
    void letGo() {
        held.complete(null);
    }

    @Test
    void nothingIsLostWhenTheServerCrashesAndStartsAgain() throws Exception {
        try (var client = new SteadyClient(api, "crash")) {
            var kept = inFlight("crash");
            awaitMore(client, CREATED);

            server.crash();
            awaitMore(client, UNAVAILABLE);
            awaitDown();
            held.complete(null);
            awaitMore(client, UNAVAILABLE);
            var _ = Eventually.await(
                    "it shows for longer than any statement may take, with jobs and without",
                    BOUND,
                    DatabaseTroubleIT::wellness,
                    answer -> failingMs(answer, "api.jobs") > STATEMENT_TIMEOUT_MS + 2_500
                            && failingMs(answer, "api.heartbeat") > 0);

            server.startAgain();
            awaitRecovery("restart", client);
            check(client, kept);
        }
    }

    @Test
    void nothingIsLostWhenTheServerFreezesForLongerThanAStatementMayTake() throws Exception {
        try (var client = new SteadyClient(api, "freeze")) {
            var kept = inFlight("freeze");
            awaitMore(client, CREATED);

            server.freeze();
            try {
                awaitMore(client, UNAVAILABLE);
                awaitDown();
                held.complete(null);
                awaitMore(client, UNAVAILABLE);
            } finally {
                server.thaw();
            }
            awaitRecovery("freeze", client);
            check(client, kept);
        }
    }

    @Test
    void nothingIsLostWhenConnectionsAreTerminatedOverAndOver() throws Exception {
        try (var client = new SteadyClient(api, "terminate")) {
            var kept = inFlight("terminate");
            for (var round = 0; round < SOME; round++) {
                awaitMore(client, CREATED, 5);
                database.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                        + " WHERE application_name = 'taskexec'");
            }
            held.complete(null);
            awaitRecovery("terminations", client);
            check(client, kept);
        }
    }

    @Test
    void nothingIsLostWhileTablesAreLocked() throws Exception {
        try (var client = new SteadyClient(api, "lock")) {
            var kept = inFlight("lock");
            awaitMore(client, CREATED);

            var parts = URI.create(database.url());
            var user = parts.getUserInfo().split(":", 2);
            try (var connection = DriverManager.getConnection(
                    "jdbc:postgresql://%s:%d%s".formatted(parts.getHost(), parts.getPort(), parts.getPath()),
                    user[0],
                    user[1])) {
                lock(connection);
                awaitMore(client, UNAVAILABLE);
                held.complete(null);
                awaitMore(client, UNAVAILABLE);
                connection.rollback();
            }
            awaitRecovery("lock", client);
            check(client, kept);
        }
    }

    /** Tries again when it is the one that has to give way: statements lock the two tables in another order. */
    private static void lock(java.sql.Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        try (var statement = connection.createStatement()) {
            var _ = statement.execute("LOCK TABLE exec_live, jobs IN ACCESS EXCLUSIVE MODE");
        } catch (SQLException e) {
            if (!DEADLOCK.equals(e.getSQLState())) {
                throw e;
            }
            connection.rollback();
            lock(connection);
        }
    }

    /** An execution whose call is under way, and whose result comes in the middle of the trouble. */
    private String inFlight(String name) throws InterruptedException {
        var execution = api.immediate("held", "held-" + name);
        Eventually.await(
                "the call that is held is under way",
                BOUND,
                () -> receiver.requests().stream()
                        .anyMatch(request -> request.path().equals("/held")));
        return execution;
    }

    private static void awaitMore(SteadyClient client, int status) throws InterruptedException {
        awaitMore(client, status, SOME);
    }

    private static void awaitMore(SteadyClient client, int status, int more) throws InterruptedException {
        var wanted = client.count(status) + more;
        try {
            Eventually.await(more + " more answers " + status, BOUND, () -> client.count(status) >= wanted);
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + ", answers: " + client.statuses(), e);
        }
    }

    private static void awaitDown() throws IOException, InterruptedException {
        program.awaitDraining();
        assertThat(program.manage("/q/health/ready").statusCode()).as("ready").isEqualTo(503);
        assertThat(program.manage("/q/health/started").statusCode())
                .as("started")
                .isEqualTo(200);
        var live = program.manage("/q/health/live");
        assertThat(live.statusCode()).as("live").isEqualTo(200);
        assertThat(live.body()).contains("worker.claims.stuck_ms", "scheduler.ticks.stuck_ms", "api.jobs.stuck_ms");
    }

    private static String wellness() {
        try {
            return program.manage("/q/health/group/progress").body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static long failingMs(String answer, String name) {
        var found = Pattern.compile("\"" + Pattern.quote(name) + "\\.failing_ms\": *(\\d+)")
                .matcher(answer);
        assertThat(found.find()).as(answer).isTrue();
        return Long.parseLong(found.group(1));
    }

    private static void awaitRecovery(String what, SteadyClient client) throws InterruptedException {
        var over = HostClock.nanos();
        program.awaitReady();
        var ready = HostClock.since(over);
        awaitMore(client, CREATED, 1);
        var created = HostClock.since(over);
        var delivered = receiver.requests().size();
        Eventually.await("deliveries go on", BOUND, () -> receiver.requests().size() > delivered);
        System.out.printf(
                "after %s: ready %s, job created %s, delivered %s%n", what, ready, created, HostClock.since(over));
        assertThat(HostClock.since(over)).as("recovery after %s", what).isLessThan(RECOVERY_BOUND);
    }

    private static void check(SteadyClient client, String kept) throws InterruptedException {
        var replies = client.stop();
        System.out.println("answers: " + client.statuses());
        checkAnswers(replies);
        checkStored(replies);
        Eventually.await("nothing is left to do", BOUND, () -> database.number("SELECT count(*) FROM exec_live") == 0);
        assertThat(api.read("/executions/" + kept).getString("status")).isEqualTo("SUCCESS");
        assertThat(database.texts("SELECT DISTINCT status FROM executions")).containsExactly("SUCCESS");
        checkDeliveries();
        assertThat(program.log())
                .as("nothing is printed beside the log")
                .isNotEmpty()
                .allMatch(line -> line.has("timestamp") && line.has("level") && line.has("message"));
    }

    private static void checkAnswers(List<SteadyClient.Reply> replies) {
        assertThat(replies).allSatisfy(reply -> {
            assertThat(reply.status()).isIn(CREATED, UNAVAILABLE);
            assertThat(reply.took()).isLessThan(ANSWER_BOUND);
            if (reply.status() == UNAVAILABLE) {
                assertThat(reply.retryAfter()).isEqualTo("1");
            }
        });
    }

    /** What was accepted is there; of the rest may be there what the same request finds. */
    private static void checkStored(List<SteadyClient.Reply> replies) {
        var stored = database.texts("SELECT idempotency_key FROM jobs").stream().collect(Collectors.toSet());
        for (var reply : replies) {
            if (reply.status() == CREATED) {
                assertThat(stored).contains(reply.key());
            } else if (stored.contains(reply.key())) {
                assertThat(api.post("/jobs", Api.immediateJob("steady", reply.key()))
                                .statusCode())
                        .as(reply.key())
                        .isEqualTo(200);
            }
        }
    }

    private static void checkDeliveries() {
        var times = receiver.requests().stream()
                .collect(Collectors.groupingBy(request -> request.body(), Collectors.counting()));
        assertThat(times.values()).as("deliveries of an execution").containsOnly(1L);
        assertThat(times.keySet()).hasSizeGreaterThan(SOME);
    }
}
