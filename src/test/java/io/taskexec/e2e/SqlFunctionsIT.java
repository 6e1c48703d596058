package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
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
import java.util.concurrent.Executors;
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

    @Inject
    private static Api api;

    @Inject
    private static ServerDb db;

    @Inject
    private static Receiver receiver;

    @BeforeAll
    static void register() throws InterruptedException {
        var spec = Map.of(
                "url", receiver.uri("/sql").toString(), "method", "POST", "body_template", Map.of("n", "{{input.n}}"));
        var _ = api.create("/endpoints", Map.of("name", "sql", "type", "HTTP", "spec", spec));
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

    /** The ways in which a transaction ends. */
    private enum End {
        COMMIT,
        ROLLBACK,
        /** The client is gone before it has said anything. */
        KILLED,
        /** The client is gone while it commits, and does not know what has become of it. */
        KILLED_IN_COMMIT
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
        assertThat(numbers("SELECT (input ->> 'n')::int FROM jobs")).isEqualTo(committed);
        assertThat(numbers("SELECT substr(idempotency_key, 3)::int FROM idempotency_keys WHERE endpoint = 'sql'"))
                .isEqualTo(committed);
        Eventually.await(
                "all have been delivered",
                BOUND,
                () -> db.number("SELECT count(*) FROM executions WHERE status = 'SUCCESS'") == committed.size());
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
        switch (end) {
            case COMMIT -> connection.commit();
            case ROLLBACK -> connection.rollback();
            case KILLED -> connection.abort(Runnable::run);
            case KILLED_IN_COMMIT -> {
                var dying = connection;
                var killer = Thread.ofVirtual().start(() -> {
                    try {
                        Thread.sleep(Duration.ofNanos(random.nextInt(1_500_000)));
                        dying.abort(Runnable::run);
                    } catch (InterruptedException | SQLException _) {
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
        }
    }

    private static void join(Thread killer) {
        try {
            killer.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
