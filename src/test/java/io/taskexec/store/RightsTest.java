package io.taskexec.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.taskexec.testing.TestDb;
import io.vertx.mutiny.sqlclient.Tuple;
import io.vertx.pgclient.PgException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** All stores are tested with the rights of deploy/postgresql/roles.sql; here, that these are not more than they need. */
class RightsTest {
    private static final String INSUFFICIENT_PRIVILEGE = "42501";

    private static final TestDb db = TestDb.fresh();

    @AfterAll
    static void close() {
        db.close();
    }

    @Test
    void serversHaveTheirOwnRole() {
        assertThat(TestDb.await(db.database().run("SELECT current_user::text", Tuple.tuple()))
                        .iterator()
                        .next()
                        .getString(0))
                .isEqualTo("taskexec");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "DROP TABLE jobs",
                "TRUNCATE jobs",
                "ALTER TABLE jobs ADD COLUMN more integer",
                "CREATE TABLE mine (id integer)",
                "CREATE ROLE mine",
                "COPY jobs TO PROGRAM 'true'",
                "SET ROLE taskexec_owner"
            })
    void serversMayNotChangeTheSchemaOrBecomeSomebodyElse(String sql) {
        assertThatThrownBy(() -> TestDb.await(db.database().run(sql, Tuple.tuple())))
                .isInstanceOfSatisfying(
                        PgException.class, e -> assertThat(e.getSqlState()).isEqualTo(INSUFFICIENT_PRIVILEGE));
    }
}
