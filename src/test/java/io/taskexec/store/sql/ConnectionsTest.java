package io.taskexec.store.sql;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.reactive.pg.client.PgPoolCreator;
import io.taskexec.model.Switch;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import io.vertx.core.Vertx;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.PoolOptions;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

@StoreTest(clearJobs = false)
class ConnectionsTest {
    @Inject
    private static TestDb db;

    record Config(int dbStatementTimeoutMs) implements DatabaseConfig {
        @Override
        public Switch wakeupsEnabled() {
            throw new UnsupportedOperationException();
        }
    }

    record Input(Vertx vertx, PoolOptions poolOptions, List<PgConnectOptions> pgConnectOptionsList)
            implements PgPoolCreator.Input {}

    @Test
    void theServerEndsStatementsThatTakeTooLongAndTransactionsWhoseProcessIsSilent() {
        assertThat(settings(db.server(), "statement_timeout", "idle_in_transaction_session_timeout"))
                .containsExactly("700ms", "1700ms");
    }

    @NeedsOwnServer("It names settings of PostgreSQL.")
    @Test
    void optionsOfTheUrlComeBesideWhatTheClientNeeds() {
        var server = db.server();
        var options = PgConnectOptions.fromUri("postgresql://user@host/name?options=-c%20work_mem%3D5MB")
                .setHost(server.getHost())
                .setPort(server.getPort())
                .setDatabase(server.getDatabase())
                .setUser(server.getUser())
                .setPassword(server.getPassword());

        assertThat(settings(options, "work_mem", "extra_float_digits", "application_name"))
                .containsExactly("5MB", "2", "vertx-pg-client");
    }

    private static List<String> settings(PgConnectOptions server, String... names) {
        var input = new Input(TestDb.vertx(), new PoolOptions(), List.of(server));
        var pool = Pool.newInstance(new Connections(new Config(700), Optional.empty()).create(input));
        try {
            return Stream.of(names)
                    .map(name -> await(pool.query("SELECT current_setting('%s') AS value".formatted(name))
                                    .execute())
                            .iterator()
                            .next()
                            .getString("value"))
                    .toList();
        } finally {
            await(pool.close());
        }
    }
}
