package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.restassured.path.json.JsonPath;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.HostClock;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs that applications create in their own transactions are there with the commit, and without it never were. */
@ServerTest
@NeedsOwnServer("The functions are only for PostgreSQL.")
class SqlFunctionsIT {
    private static final Duration BOUND = Duration.ofMinutes(5);
    private static final int TRANSACTIONS = Integer.getInteger("taskexec.sql-transactions", 400);
    private static final int CLIENTS = 8;
    private static final int ROUNDS = 50;

    /** Without an end of its own, the wait for a lock would last until the statement has timed out, after 5 s. */
    private static final Duration LOCK_BOUND = Duration.ofSeconds(4);

    private static final AtomicInteger FREE = new AtomicInteger();

    @Inject
    private static Api api;

    @Inject
    private static ServerDb db;

    @Inject
    private static Receiver receiver;

    @BeforeAll
    static void register() throws InterruptedException {
        api.endpoint("sql", receiver.uri("/sql"), Map.of());
        db.execute("CREATE TABLE IF NOT EXISTS orders (n integer PRIMARY KEY)");
        Eventually.await(
                "the program has said how jobs are created",
                BOUND,
                () -> db.number("SELECT count(*) FROM region_status WHERE events IS NOT NULL") > 0);
    }

    @BeforeEach
    void clear() {
        receiver.clear();
        db.execute("TRUNCATE orders");
    }

    private static void create(Connection connection, String key, int n) throws SQLException {
        try (var call = connection.prepareStatement("SELECT taskexec_api.create_job(?, ?, ?::json)")) {
            call.setString(1, "sql");
            call.setString(2, key);
            call.setString(3, "{\"n\": %d}".formatted(n));
            var _ = call.executeQuery();
        }
    }

    @Test
    void aJobIsDeliveredSoonAfterTheCommitAndNotBefore() throws Exception {
        var delays = new ArrayList<Long>();
        try (var connection = db.connect()) {
            connection.setAutoCommit(false);
            for (var n = 0; n < ROUNDS; n++) {
                create(connection, "soon-" + n, n);
                assertThat(receiver.requests()).hasSize(n);
                var start = System.nanoTime();
                connection.commit();
                var _ = receiver.awaitCount(n + 1, BOUND);
                delays.add((System.nanoTime() - start) / 1_000);
            }
        }
        Collections.sort(delays);
        System.out.printf(
                "SqlFunctionsIT from the commit to the delivery: median %d us, slowest %d us%n",
                delays.get(ROUNDS / 2), delays.getLast());
        // Polling alone takes up to five seconds.
        assertThat(delays.get(ROUNDS / 2)).isLessThan(1_000_000);
    }

    @Test
    void theApiFindsRepeatsAndCancelsSuchAJob() throws SQLException {
        try (var connection = db.connect();
                var call = connection.createStatement()) {
            var _ = call.execute("SELECT taskexec_api.create_job('sql', 'later', '{\"n\": 1}', delay => '1 hour')");
        }
        var found = api.read("/endpoints/sql/keys/later");
        assertThat(found.getString("trigger")).isEqualTo("DELAYED");
        assertThat(found.getInt("input.n")).isEqualTo(1);

        var repeated = api.request()
                .body(Map.of("endpoint", "sql", "idempotency_key", "later", "delay", "PT1H", "input", Map.of("n", 1)))
                .post("/jobs");
        assertThat(repeated.jsonPath().getString("job_id")).isEqualTo(found.getString("job_id"));
        assertThat(api.delete("/endpoints/sql/keys/later").statusCode()).isEqualTo(200);
        assertThat(db.texts("SELECT job_id FROM taskexec_api.find_job('sql', 'later')"))
                .isEmpty();
    }

    private static void call(Connection connection, String arguments) throws SQLException {
        try (var call = connection.createStatement()) {
            var _ = call.execute("SELECT taskexec_api.create_job(%s)".formatted(arguments));
        }
    }

    @Test
    void anOpenTransactionKeepsAloneThoseWaitingWhoWantItsKey() throws Exception {
        var endpoint = pullEndpoint("sql-locked");
        try (var connection = db.connect()) {
            connection.setAutoCommit(false);
            call(connection, "'%s', 'blocked'".formatted(endpoint));

            for (var n = 0; n < 5; n++) {
                var start = HostClock.nanos();
                var refused = ErrorAnswer.expectError(
                        503,
                        "UNAVAILABLE",
                        api.post("/jobs", Map.of("endpoint", endpoint, "idempotency_key", "blocked")));
                assertThat(HostClock.since(start)).isLessThan(LOCK_BOUND);
                assertThat(refused.<String>path("error.message")).isNotBlank();
                var others = IntStream.range(0, 20)
                        .mapToObj(
                                _ -> Map.of("endpoint", endpoint, "idempotency_key", "free-" + FREE.incrementAndGet()))
                        .toList();
                for (var other : others) {
                    assertThat(api.post("/jobs", other).statusCode()).isEqualTo(201);
                }
            }
            connection.rollback();
        }
        assertThat(api.post("/jobs", Map.of("endpoint", endpoint, "idempotency_key", "blocked"))
                        .statusCode())
                .isEqualTo(201);
    }

    private static String pullEndpoint(String name) {
        var _ = api.create("/endpoints", Map.of("name", name, "type", "WORKER", "spec", Map.of()));
        return name;
    }

    private static CompletableFuture<JsonPath> polling(String endpoint) {
        return CompletableFuture.supplyAsync(
                () -> api.post("/leases", Map.of("worker", "sql", "endpoints", List.of(endpoint), "wait", "PT30S"))
                        .jsonPath(),
                Thread::startVirtualThread);
    }

    @Test
    void aJobOfAPullWorkerWakesTheRequestThatWaitsForItWithTheCommit() throws Exception {
        var endpoint = pullEndpoint("sql-pulled");
        var slowest = Duration.ZERO;
        try (var connection = db.connect()) {
            connection.setAutoCommit(false);
            for (var n = 0; n < 5; n++) {
                var polling = polling(endpoint);
                call(connection, "'%s', 'pulled-%d', '{\"n\": 1}', priority => 2".formatted(endpoint, n));
                assertThat(polling).isNotDone();
                connection.commit();
                var start = HostClock.nanos();

                var lease = polling.join();

                assertThat(lease.getInt("leases[0].input.n")).isEqualTo(1);
                assertThat(lease.getInt("leases[0].priority")).isEqualTo(2);
                var took = HostClock.since(start);
                slowest = took.compareTo(slowest) > 0 ? took : slowest;
                var items = List.of(Map.of("lease", lease.getString("leases[0].lease")));
                assertThat(api.post("/leases/complete", Map.of("leases", items))
                                .jsonPath()
                                .getString("results[0].execution_status"))
                        .isEqualTo("SUCCESS");
            }
        }
        assertThat(slowest).as("without a look of its own, every 4 s").isLessThan(Duration.ofSeconds(3));
    }

    @Test
    void aJobThatWakesNoWorkerIsFoundByALook() throws Exception {
        var endpoint = pullEndpoint("sql-silent");
        var polling = polling(endpoint);
        try (var connection = db.connect()) {
            call(connection, "'%s', 'silent', notify => false".formatted(endpoint));
        }

        assertThat(polling.join().getList("leases")).hasSize(1);
    }

    @Test
    void whatASavepointTakesBackNeverWas() throws Exception {
        var endpoint = pullEndpoint("sql-parts");
        try (var connection = db.connect()) {
            connection.setAutoCommit(false);
            call(connection, "'%s', 'kept'".formatted(endpoint));
            var savepoint = connection.setSavepoint();
            call(connection, "'%s', 'taken-back'".formatted(endpoint));
            connection.rollback(savepoint);
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() -> call(connection, "'unknown', 'refused'"))
                    .returns("TX404", SQLException::getSQLState);
            connection.rollback(savepoint);
            call(connection, "'%s', 'after'".formatted(endpoint));
            connection.commit();
        }

        assertThat(db.texts("SELECT idempotency_key FROM jobs WHERE endpoint = '%s'".formatted(endpoint)))
                .containsExactlyInAnyOrder("kept", "after");
        assertThat(db.number("SELECT count(*) FROM idempotency_keys WHERE idempotency_key = 'taken-back'"))
                .isZero();
        // Its key is free.
        var _ = api.create("/jobs", Map.of("endpoint", endpoint, "idempotency_key", "taken-back"));
    }

    /** The ways in which a transaction ends. */
    private enum End {
        COMMIT,
        ROLLBACK,
        /** The client is gone before it has said anything. */
        KILLED,
        /** The client is gone while it commits, and does not know what has become of it. */
        KILLED_IN_COMMIT,
        /** The server ends the connection. */
        TERMINATED,
        /** The server ends the connection while it commits. */
        TERMINATED_IN_COMMIT
    }

    @Test
    void aJobIsThereExactlyWhenTheTransactionThatCreatedItWasCommitted() throws Exception {
        var seed = System.nanoTime();
        System.out.printf("SqlFunctionsIT seed %d%n", seed);
        var ends = Collections.synchronizedList(new ArrayList<End>());
        try (var clients = Executors.newFixedThreadPool(CLIENTS)) {
            var running = clients.invokeAll(IntStream.range(0, CLIENTS)
                    .mapToObj(client -> (Callable<Void>) () -> {
                        transactions(client, new Random(seed + client), ends);
                        return null;
                    })
                    .toList());
            for (var one : running) {
                var _ = one.get();
            }
        }

        // A server process whose client has gone ends in its own time.
        Eventually.await(
                "no transaction is open",
                BOUND,
                () -> db.number("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'orders'") == 0);
        var committed = numbers("SELECT n FROM orders");
        assertThat(numbers("SELECT (input ->> 'n')::int FROM jobs WHERE idempotency_key LIKE 'o-%'"))
                .isEqualTo(committed);
        assertThat(numbers("SELECT substr(idempotency_key, 3)::int FROM idempotency_keys"
                        + " WHERE endpoint = 'sql' AND idempotency_key LIKE 'o-%'"))
                .isEqualTo(committed);
        Eventually.await(
                "all have been delivered",
                BOUND,
                () -> db.number("SELECT count(*) FROM executions WHERE status = 'SUCCESS'"
                                + " AND job_id IN (SELECT job_id FROM jobs WHERE endpoint = 'sql')")
                        == committed.size());
        var delivered = receiver.requests().stream()
                .map(request -> Integer.valueOf(request.body().replaceAll("\\D", "")))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(delivered).isEqualTo(committed);
        System.out.printf(
                "SqlFunctionsIT %d transactions: %s; %d jobs, all delivered, and no other%n",
                ends.size(),
                ends.stream().collect(Collectors.groupingBy(end -> end, Collectors.counting())),
                committed.size());
    }

    private static Set<Integer> numbers(String sql) {
        return db.texts(sql).stream().map(Integer::valueOf).collect(Collectors.toCollection(TreeSet::new));
    }

    private static void transactions(int client, Random random, List<End> ends) throws SQLException {
        var connection = db.connect();
        try {
            for (var n = client; n < TRANSACTIONS; n += CLIENTS) {
                if (connection.isClosed()) {
                    connection = db.connect();
                }
                var end = End.values()[random.nextInt(End.values().length)];
                transaction(connection, n, end, random);
                ends.add(end);
            }
        } finally {
            connection.close();
        }
    }

    private static void transaction(Connection connection, int n, End end, Random random) throws SQLException {
        connection.setAutoCommit(false);
        connection.setClientInfo("ApplicationName", "orders");
        try (var insert = connection.prepareStatement("INSERT INTO orders VALUES (?)")) {
            insert.setInt(1, n);
            var _ = insert.executeUpdate();
        }
        create(connection, "o-" + n, n);
        var pid = pid(connection);
        switch (end) {
            case COMMIT -> connection.commit();
            case ROLLBACK -> connection.rollback();
            case KILLED -> connection.abort(Runnable::run);
            case TERMINATED -> {
                terminate(pid);
                connection.close();
            }
            case KILLED_IN_COMMIT ->
                commitWhile(connection, random, () -> {
                    try {
                        connection.abort(Runnable::run);
                    } catch (SQLException _) {
                        // It is gone all the same.
                    }
                });
            case TERMINATED_IN_COMMIT -> {
                commitWhile(connection, random, () -> terminate(pid));
                connection.close();
            }
        }
    }

    private static int pid(Connection connection) throws SQLException {
        try (var call = connection.createStatement();
                var row = call.executeQuery("SELECT pg_backend_pid()")) {
            assertThat(row.next()).isTrue();
            return row.getInt(1);
        }
    }

    private static void terminate(int pid) {
        db.execute("SELECT pg_terminate_backend(%d)".formatted(pid));
    }

    private static void commitWhile(Connection dying, Random random, Runnable kill) {
        var killer = Thread.ofVirtual().start(() -> {
            try {
                Thread.sleep(Duration.ofNanos(random.nextInt(1_500_000)));
                kill.run();
            } catch (InterruptedException _) {
                // It is gone all the same.
            }
        });
        try {
            dying.commit();
        } catch (SQLException _) {
            // The table says whether it was committed.
        }
        join(killer);
    }

    private static void join(Thread killer) {
        try {
            killer.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
