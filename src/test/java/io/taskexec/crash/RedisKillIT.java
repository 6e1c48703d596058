package io.taskexec.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Program;
import io.taskexec.testing.RedisServer;
import io.taskexec.testing.ServerDb;
import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A worker that dies when Redis has the entry and the database does not know it. */
class RedisKillIT {
    private static final Duration BOUND = Duration.ofSeconds(30);

    private static final String CONNECTED =
            " FROM pg_stat_activity" + " WHERE application_name = 'taskexec' AND datname = current_database()";

    private final ServerDb database = ServerDb.fresh(RedisKillIT.class);
    // A cold process on busy processors must be able to keep its lease.
    private final Program.Setup setup = Program.serving(database).with("TE_WORKER_LEASE_SEC", "12");

    @Test
    void anEntryThatAKilledWorkerAddedIsNotAddedAgain() throws InterruptedException, SQLException {
        try (var redis = RedisServer.start();
                var doomed = setup.startReady();
                var locking = connect()) {
            // The first connection may take longer than an attempt may, while the processors are busy.
            register(doomed.api(), "warm", redis);
            var _ = doomed.api().ended(doomed.api().immediate("warm", "first"));
            register(doomed.api(), "once", redis);
            // What is recorded waits; what is claimed does not.
            lock(locking, "executions");
            var executionId = doomed.api().immediate("once", "k");
            Eventually.await(
                    "Redis has the entry", BOUND, () -> redis.entries("once").size() == 1);
            Eventually.await(
                    "its record waits",
                    BOUND,
                    () -> database.number("SELECT count(*)" + CONNECTED + " AND wait_event_type = 'Lock'") > 0);

            doomed.kill();
            // The server would still do what the dead have sent, once it could.
            database.execute("SELECT pg_terminate_backend(pid)" + CONNECTED);
            Eventually.await(
                    "nobody records it any more", BOUND, () -> database.number("SELECT count(*)" + CONNECTED) == 0);
            locking.rollback();

            try (var survivor = setup.startReady()) {
                var execution = survivor.api().ended(executionId);

                assertThat(execution.getString("status"))
                        .as(execution.prettify())
                        .isEqualTo("SUCCESS");
                assertThat(survivor.api().attemptStatuses(executionId)).containsExactly("LOST", "SUCCESS");
                assertThat(redis.onlyEntry("once"))
                        .containsEntry("taskexec-execution-id", executionId)
                        .containsEntry("taskexec-attempt", "1");
                assertThat(execution.getString("output.message_id"))
                        .isEqualTo(redis.entries("once").getFirst().getId());
                Check.findsNothing(setup);
            }
        }
    }

    private static void register(Api api, String name, RedisServer redis) {
        var spec = Map.of("redis_url", redis.url(), "stream", name, "fields_template", Map.of("n", "{{input.n}}"));
        var _ = api.create("/endpoints", Map.of("name", name, "type", "REDIS_STREAM", "spec", spec));
    }

    private Connection connect() throws SQLException {
        var parts = URI.create(database.url());
        var user = parts.getUserInfo().split(":", 2);
        return DriverManager.getConnection(
                "jdbc:postgresql://%s:%d%s".formatted(parts.getHost(), parts.getPort(), parts.getPath()),
                user[0],
                user[1]);
    }

    private static void lock(Connection connection, String table) throws SQLException {
        connection.setAutoCommit(false);
        try (var statement = connection.createStatement()) {
            var _ = statement.execute("LOCK TABLE " + table + " IN EXCLUSIVE MODE");
        }
    }
}
