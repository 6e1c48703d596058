package io.taskexec.store.sql;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.reactive.pg.client.PgPoolCreator;
import io.taskexec.model.Switch;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import io.vertx.core.Vertx;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.PoolOptions;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Optional;
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
        var input = new Input(TestDb.vertx(), new PoolOptions(), List.of(db.server()));
        var pool = Pool.newInstance(new Connections(new Config(700), Optional.empty()).create(input));
        try {
            assertThat(List.of("statement_timeout", "idle_in_transaction_session_timeout"))
                    .extracting(name -> await(pool.query("SELECT current_setting('%s') AS value".formatted(name))
                                    .execute())
                            .iterator()
                            .next()
                            .getString("value"))
                    .containsExactly("700ms", "1700ms");
        } finally {
            await(pool.close());
        }
    }
}
