package io.taskexec.store.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.taskexec.store.execution.RetentionStore;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import io.vertx.mutiny.sqlclient.Tuple;
import io.vertx.pgclient.PgException;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** All stores are tested with the rights of deploy/postgresql/roles.sql, which are not more than they need. */
@StoreTest(clearJobs = false)
@NeedsOwnServer("Another server has no role for servers.")
class RightsTest {
    private static final String INSUFFICIENT_PRIVILEGE = "42501";

    @Inject
    private static TestDb db;

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

    private static void audit(String resource, Duration age) {
        db.execute(
                "INSERT INTO audit_log VALUES ($1, $2, 'ci', 'update', 'config', $3, 'r', '::1', NULL)",
                Rows.idFrom(age),
                Instant.now().minus(age).atOffset(ZoneOffset.UTC),
                resource);
    }

    private static long audited(String resource) {
        return db.number("SELECT count(*) FROM audit_log WHERE resource = $1", resource);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "DELETE FROM audit_log",
                "DELETE FROM audit_log WHERE at > now() - interval '30 days'",
                "UPDATE audit_log SET actor = 'another'",
                "UPDATE audit_log SET at = now() - interval '1 year'",
                "INSERT INTO audit_log SELECT * FROM audit_log ON CONFLICT (audit_id) DO UPDATE SET actor = 'another'",
                "TRUNCATE audit_log",
                "DROP TRIGGER audit_log_is_kept ON audit_log",
                "ALTER TABLE audit_log DISABLE TRIGGER audit_log_is_kept",
                "SET session_replication_role = 'replica'",
                "CREATE OR REPLACE FUNCTION keep_audit_log() RETURNS trigger LANGUAGE plpgsql"
                        + " AS 'BEGIN RETURN OLD; END'",
            })
    void serversMayNeitherRemoveNorChangeWhatTheAuditLogSays(String sql) {
        audit("kept", Duration.ofDays(29));

        assertThatThrownBy(() -> TestDb.await(db.database().run(sql, Tuple.tuple())))
                .isInstanceOfSatisfying(
                        PgException.class, e -> assertThat(e.getSqlState()).isEqualTo(INSUFFICIENT_PRIVILEGE));
        assertThat(db.number("SELECT count(*) FROM audit_log WHERE actor <> 'ci'"))
                .isZero();
    }

    @Test
    void whatTheTriggerCallsIsNotLeftToTheSearchPathOfItsCaller() {
        assertThat(db.number("SELECT count(*) FROM pg_proc WHERE proname = 'keep_audit_log'"
                        + " AND proconfig = ARRAY['search_path=pg_catalog']"))
                .isEqualTo(1);
    }

    @Test
    void whatIsOlderThanThirtyDaysIsRemovedByServersThatKeepLess() {
        audit("young", Duration.ofHours(30 * 24 - 1));
        audit("old", Duration.ofDays(31));

        var removed = TestDb.await(new RetentionStore(db.database()).deleteAuditBefore(Instant.now(), 100));

        assertThat(removed).isPositive();
        assertThat(audited("old")).isZero();
        assertThat(audited("young")).isEqualTo(1);
    }
}
