package io.taskexec.store.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.taskexec.testing.Jdbc;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.TestDb;
import java.sql.SQLException;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.migration.JavaMigration;
import org.flywaydb.core.internal.scanner.Scanner;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Migrations go on where an earlier run was interrupted. The next one makes an index, outside a transaction. */
@NeedsOwnServer("CockroachDB makes indexes in another way.")
class MigrationsTest {
    private TestDb db;

    @BeforeEach
    void open() {
        db = TestDb.fresh();
        db.execute("DROP SCHEMA public CASCADE");
        db.execute("DROP SCHEMA taskexec_api CASCADE");
        db.execute("CREATE SCHEMA public");
        assertThat(migrations("28", "").run()).isPositive();
    }

    @AfterEach
    void close() {
        db.close();
    }

    private Migrations migrations(String target, String options) {
        var configuration = Flyway.configure()
                .dataSource(Jdbc.source(db, options))
                .locations(
                        "classpath:db/migration/common",
                        "classpath:db/migration/postgresql",
                        "classpath:db/migration/cockroachdb")
                .target(target);
        return new Migrations(configuration
                .resourceProvider(new Scanner<>(JavaMigration.class, configuration, configuration.getLocations()))
                .load());
    }

    private Migrations migrations() {
        return migrations("latest", "");
    }

    private long failures() {
        return db.number("SELECT count(*) FROM flyway_schema_history WHERE NOT success");
    }

    private boolean indexIsUsable() {
        return db.number("SELECT count(*) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
                        + " WHERE c.relname = 'exec_live_deferred' AND i.indisvalid")
                == 1;
    }

    @Test
    void anIndexThatWasLeftHalfMadeIsMadeAnewByTheNextRun() throws SQLException {
        try (var writer = Jdbc.to(db);
                var statement = writer.createStatement()) {
            writer.setAutoCommit(false);
            var _ = statement.execute("LOCK TABLE exec_live IN ROW EXCLUSIVE MODE");
            var impatient = migrations("latest", "options=-c%20lock_timeout=500");

            assertThatExceptionOfType(MigrationException.class)
                    .isThrownBy(() -> impatient.run())
                    .withMessageContainingAll("migration 29: ", "lock timeout");
            writer.rollback();
        }
        assertThat(failures()).isEqualTo(1);
        assertThat(db.number("SELECT count(*) FROM pg_class WHERE relname = 'exec_live_deferred'"))
                .isEqualTo(1);
        assertThat(indexIsUsable()).isFalse();

        assertThat(migrations().run()).isPositive();

        assertThat(failures()).isZero();
        assertThat(indexIsUsable()).isTrue();
        assertThat(migrations().pending()).isFalse();
    }

    @Test
    void anIndexThatWasFinishedWithoutARecordIsInNobodysWay() {
        db.execute("CREATE INDEX exec_live_deferred ON exec_live (execution_id) WHERE deferred");

        assertThat(migrations().run()).isPositive();

        assertThat(failures()).isZero();
        assertThat(indexIsUsable()).isTrue();
    }

    @Test
    void anyOtherFailureIsRefusedWithItsVersionUntilAnOperatorHasSeenToIt() {
        db.execute("UPDATE flyway_schema_history SET success = false WHERE version = '28'");

        assertThatExceptionOfType(MigrationException.class)
                .isThrownBy(() -> migrations().run())
                .withMessageContaining("failed migration to version 28")
                .satisfies(refused -> assertThat(refused.getMessage()).hasLineCount(1));
        assertThat(failures()).isEqualTo(1);
    }

    @Test
    void aProcessWaitsAsLongAsAnotherOneMigrates() {
        assertThat(migrations().forDialect().getConfiguration().getLockRetryCount())
                .isNegative();
    }
}
