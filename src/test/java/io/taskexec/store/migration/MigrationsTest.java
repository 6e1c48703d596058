package io.taskexec.store.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.taskexec.testing.Eventually;
import io.taskexec.testing.HeldTransaction;
import io.taskexec.testing.Jdbc;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.RecordedLog;
import io.taskexec.testing.TestDb;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
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
        return new Migrations(flyway(target, options));
    }

    private Flyway flyway(String target, String options) {
        var configuration = Flyway.configure()
                .dataSource(Jdbc.source(db, options))
                .locations(
                        "classpath:db/migration/common",
                        "classpath:db/migration/postgresql",
                        "classpath:db/migration/cockroachdb")
                .target(target);
        return configuration
                .resourceProvider(new Scanner<>(JavaMigration.class, configuration, configuration.getLocations()))
                .load();
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

    private void awaitWaiting(String what) throws InterruptedException {
        Eventually.await(
                what + " waits for a lock",
                TestDb.PATIENCE,
                () -> db.number("SELECT count(*) FROM pg_stat_activity"
                                + " WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0")
                        > 0);
    }

    private static int result(CompletableFuture<Integer> migrating) {
        return migrating
                .orTimeout(TestDb.PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .join();
    }

    /** All statements that use the table wait behind a migration that waits for it. */
    @Test
    void aMigrationGivesWayToOthersUntilTheTransactionThatKeepsItsTableHasEnded() throws InterruptedException {
        assertThat(migrations("30", "").run()).isEqualTo(2);
        var patient = new Migrations(flyway("latest", ""), Duration.ofSeconds(1));
        try (var log = RecordedLog.of(Migrations.class);
                var report = HeldTransaction.on(db)) {
            var _ = report.run("SELECT count(*) FROM workflow_runs");
            var migrating = CompletableFuture.supplyAsync(() -> patient.run());
            awaitWaiting("the migration");

            assertThat(db.number("SELECT count(*) FROM workflow_runs")).isZero();
            assertThat(migrating).isNotDone();
            Eventually.await("a line", TestDb.PATIENCE, () -> !log.messages().isEmpty());
            assertThat(log.messages().getFirst())
                    .startsWith("migration 31 did not get the lock of a table within 2 s, and is tried again in 1 s")
                    .containsPattern("pid \\d+ \\(vertx-pg-client, idle in transaction, open for \\d+ s\\)");
            assertThat(failures()).isZero();

            report.commit();
            assertThat(result(migrating)).isPositive();
        }
        assertThat(migrations().pending()).isFalse();
    }

    /** Others go on beside it, and it would have to begin anew. */
    @Test
    void anIndexIsWaitedForUntilTheTransactionsHaveEnded() throws InterruptedException {
        try (var report = HeldTransaction.on(db)) {
            var _ = report.run("LOCK TABLE exec_live IN ROW EXCLUSIVE MODE");
            var migrating =
                    CompletableFuture.supplyAsync(() -> migrations("29", "").run());
            awaitWaiting("the index");

            // Longer than other migrations wait.
            Thread.sleep(Duration.ofMillis(2500));
            assertThat(migrating).isNotDone();
            assertThat(failures()).isZero();

            report.commit();
            assertThat(result(migrating)).isEqualTo(1);
        }
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
