package io.taskexec.store.history;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.taskexec.model.job.ReplayId;
import io.taskexec.store.execution.ExecutionStore;
import io.taskexec.store.history.HistoryDays.Outcome;
import io.taskexec.store.sql.Database;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.HeldTransaction;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@NeedsOwnServer("Only PostgreSQL has partitions.")
@StoreTest
@SuppressWarnings("TimeInStaticInitializer") // All of its tests are about one day.
class HistoryDaysTest {
    private static final Duration KEPT = Duration.ofDays(30);
    private static final LocalDate TODAY = LocalDate.now(ZoneOffset.UTC);
    private static final LocalDate DAY = TODAY.minusDays(40);
    private static final int DAYS = 10;
    private static final Partition OLD = new Partition(true, DAY.plusDays(1));

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static HistoryDays days;

    @BeforeAll
    static void open() {
        days = new HistoryDays(db.database());
        rows.endpoint(ENDPOINT).insert();
    }

    @BeforeEach
    void makeDay() {
        assertThat(await(days.make(DAY))).isTrue();
    }

    @AfterEach
    void clear() {
        rows.clearJobs();
        for (var table : new String[] {"executions", "attempts", "execution_logs"}) {
            db.execute("DROP TABLE IF EXISTS " + table + "_" + OLD.suffix());
        }
        db.execute("DELETE FROM workflow_runs");
        db.execute("DELETE FROM workflow_nodes");
        db.execute("DELETE FROM operations");
    }

    private static Instant end() {
        return Instant.now().minus(KEPT);
    }

    private static Outcome drop() {
        return await(days.drop(OLD, end())).outcome();
    }

    /** So long ago that noon of the day was. */
    private static Duration noon() {
        return Duration.between(DAY.atTime(12, 0).toInstant(ZoneOffset.UTC), Instant.now());
    }

    private static UUID endedOnTheDay() {
        return rows.finished()
                .createdAgo(noon())
                .endedAgo(noon().minusSeconds(1))
                .attempts(2)
                .insert();
    }

    private static UUID ended(Duration ago) {
        return rows.finished().createdAgo(noon()).endedAgo(ago).attempts(2).insert();
    }

    private static List<String> partitionsOf(UUID id) {
        return db
                .rows(
                        "SELECT tableoid::regclass::text FROM executions WHERE execution_id = $1 UNION ALL"
                                + " SELECT tableoid::regclass::text FROM attempts WHERE execution_id = $1",
                        id)
                .stream()
                .map(row -> row.getString(0))
                .toList();
    }

    private static boolean isThere(LocalDate day) {
        return await(days.partitions()).have(day);
    }

    @Test
    void whatEndsIsWithTheDayOfItsIdAndOtherwiseWithNoDay() {
        var onTheDay = endedOnTheDay();
        var older = rows.finished().endedAgo(Duration.ofDays(400)).attempts(2).insert();
        var farAhead = rows.finished()
                .id(Rows.idFrom(Duration.ofDays(-100)))
                .attempts(2)
                .insert();

        assertThat(partitionsOf(onTheDay)).containsExactly("executions_" + OLD.suffix(), "attempts_" + OLD.suffix());
        assertThat(partitionsOf(older)).containsExactly("executions_default", "attempts_default");
        assertThat(partitionsOf(farAhead)).containsExactly("executions_default", "attempts_default");
    }

    @Test
    void anOldDayIsDroppedWithAllThatEndedOnIt() {
        var old = endedOnTheDay();
        db.execute("INSERT INTO execution_logs VALUES ($1, $1, 'default', 1, 'INFO', 'm', now())", old);
        db.execute("ANALYZE executions");

        var dropped = await(days.drop(OLD, end()));

        assertThat(dropped.outcome()).isEqualTo(Outcome.DROPPED);
        assertThat(dropped.removed()).isEqualTo(1);
        assertThat(isThere(DAY)).isFalse();
        for (var table : new String[] {"executions", "attempts", "execution_logs"}) {
            assertThat(db.number("SELECT count(*) FROM " + table)).as(table).isZero();
        }
        assertThat(await(new ExecutionStore(db.database()).find(old))).isNull();
        assertThat(db.number("SELECT count(*) FROM jobs"))
                .as("left to retention")
                .isEqualTo(1);
    }

    @Test
    void whatIsStillNeededIsFoundAfterTheDrop() {
        var recent = ended(Duration.ofDays(29));
        var live = rows.live().id(Rows.idFrom(noon())).insert();
        db.execute(
                "INSERT INTO attempts (execution_id, attempt_number, status, started_at, completed_at)"
                        + " VALUES ($1, 1, 'FAILED', now(), now())",
                live);
        var parent = endedOnTheDay();
        var child = rows.live().insert();
        db.execute("INSERT INTO job_edges VALUES ($1, $2, 'a', true)", child, parent);
        var ofRun = endedOnTheDay();
        var run = rows.live().insert();
        node(run, "a", ofRun);
        var old = endedOnTheDay();

        assertThat(drop()).isEqualTo(Outcome.DROPPED);

        assertThat(partitionsOf(recent)).containsExactly("executions_default", "attempts_default");
        assertThat(partitionsOf(live)).containsExactly("attempts_default");
        assertThat(partitionsOf(parent)).containsExactly("executions_default", "attempts_default");
        assertThat(partitionsOf(ofRun)).containsExactly("executions_default", "attempts_default");
        assertThat(partitionsOf(old)).isEmpty();
        assertThat(await(new ExecutionStore(db.database()).find(recent))).isNotNull();
    }

    private static void node(UUID run, String name, UUID job) {
        db.execute(
                "INSERT INTO workflow_runs (run_id, job_id, name, started_at) VALUES ($1, $1, 'x', now())"
                        + " ON CONFLICT (run_id) DO NOTHING",
                run);
        db.execute("INSERT INTO workflow_nodes (run_id, name, job_id) VALUES ($1, $2, $3)", run, name, job);
    }

    @Test
    void theJobsOfRunsGoWithTheDayOfTheseAndStayWithThoseThatStay() {
        var oldRun = endedOnTheDay();
        var ofOldRun = endedOnTheDay();
        node(oldRun, "a", ofOldRun);
        var keptRun = ended(Duration.ofDays(1));
        var innerRun = endedOnTheDay();
        node(keptRun, "a", innerRun);
        var ofInnerRun = endedOnTheDay();
        node(innerRun, "a", ofInnerRun);

        assertThat(drop()).isEqualTo(Outcome.DROPPED);

        assertThat(partitionsOf(ofOldRun)).isEmpty();
        assertThat(partitionsOf(innerRun)).isNotEmpty();
        assertThat(partitionsOf(ofInnerRun)).isNotEmpty();
    }

    @Test
    void aDayOfWhichMuchMustStayIsKept() {
        var job = endedOnTheDay();
        db.execute("""
                INSERT INTO executions
                  (execution_id, job_id, lane, status, attempt_count, run_at, completed_at, created_at)
                SELECT (left($1::uuid::text, 24) || lpad(to_hex(i), 12, '0'))::uuid, $1::uuid, 4, 'FAILED', 1, now(),
                  now(), now()
                FROM generate_series(1, $2) AS i
                """, job, HistoryDays.MOST_MOVED + 1);

        assertThat(drop()).isEqualTo(Outcome.KEPT);
        assertThat(db.number("SELECT count(*) FROM executions")).isEqualTo(HistoryDays.MOST_MOVED + 2);

        db.execute("""
                DELETE FROM executions
                WHERE execution_id = (SELECT execution_id FROM executions WHERE execution_id <> job_id LIMIT 1)
                """);
        assertThat(drop()).isEqualTo(Outcome.DROPPED);
        assertThat(db.number("SELECT count(*) FROM executions")).isEqualTo(HistoryDays.MOST_MOVED);
    }

    @Test
    void aDayOfWhichMuchHasNotEndedIsKeptWithAllAttempts() {
        var begun = liveWithAttempts(10 * HistoryDays.MOST_MOVED + 1);

        assertThat(drop()).isEqualTo(Outcome.KEPT);
        assertThat(db.number("SELECT count(*) FROM attempts")).isEqualTo(10 * HistoryDays.MOST_MOVED + 1);

        db.execute("DELETE FROM attempts WHERE execution_id = $1", begun);
        db.execute("DELETE FROM exec_live WHERE execution_id = $1", begun);
        assertThat(drop()).isEqualTo(Outcome.DROPPED);
        assertThat(db.number("SELECT count(*) FROM attempts")).isEqualTo(10 * HistoryDays.MOST_MOVED);
    }

    @Test
    void aDayWithVeryManyAttemptsOfWhatHasNotEndedIsKept() {
        var begun = liveWithAttempts(1);
        db.execute(
                "INSERT INTO attempts (execution_id, attempt_number, status, started_at, completed_at)"
                        + " SELECT $1, i, 'FAILED', now(), now() FROM generate_series(2, $2) AS i",
                begun,
                10 * HistoryDays.MOST_MOVED + 1);

        assertThat(drop()).isEqualTo(Outcome.KEPT);
    }

    /** Executions of the day that wait for their second attempts; returns one of them. */
    private static UUID liveWithAttempts(int count) {
        var first = Rows.idFrom(noon());
        db.execute("""
                WITH live AS (
                  INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at)
                  SELECT n.id, n.id, 4, now(), now(), now()
                  FROM (SELECT (left($1::uuid::text, 24) || lpad(to_hex(i), 12, '0'))::uuid AS id
                        FROM generate_series(1, $2) AS i) AS n
                  RETURNING execution_id
                )
                INSERT INTO attempts (execution_id, attempt_number, status, started_at, completed_at)
                SELECT execution_id, 1, 'FAILED', now(), now() FROM live
                """, first, count);
        return db.row("SELECT execution_id FROM exec_live LIMIT 1").getUUID(0);
    }

    @Test
    void aTransactionThatDoesNotSeeWhatEndsMeanwhileDropsNothing() {
        assertThatThrownBy(() -> await(db.database()
                        .withTransaction(transaction -> transaction
                                .query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
                                .execute()
                                .chain(() -> Database.on(
                                        transaction,
                                        "SELECT history_drop_day($1::text, now(), 1)",
                                        Tuple.of(OLD.suffix()))))))
                .hasMessageContaining("read committed");
        assertThat(isThere(DAY)).isTrue();
    }

    @Test
    void aDayThatIsNotOverForSoLongStays() {
        assertThat(await(days.drop(OLD, OLD.end().minusSeconds(1))).outcome()).isEqualTo(Outcome.BUSY);
        assertThat(isThere(DAY)).isTrue();
    }

    @Test
    void aRunStaysWithItsJobsUntilItsRetryHasEnded() {
        var run = endedOnTheDay();
        var job = endedOnTheDay();
        node(run, "a", job);
        retry(run, false);
        var other = endedOnTheDay();
        node(other, "a", endedOnTheDay());
        retry(other, true);

        assertThat(drop()).isEqualTo(Outcome.DROPPED);

        assertThat(partitionsOf(run)).containsExactly("executions_default", "attempts_default");
        assertThat(partitionsOf(job)).containsExactly("executions_default", "attempts_default");
        assertThat(db.number("SELECT count(*) FROM executions")).isEqualTo(2);
    }

    private static void retry(UUID run, boolean isEnded) {
        db.execute(
                "INSERT INTO workflow_runs (run_id, job_id, name, retry_of, ended) VALUES ($1, $2, 'x', $2, $3)",
                rows.live().insert(),
                run,
                isEnded);
    }

    /** The first look has not seen it. */
    @Test
    void aDayStaysWhereARetryOfARunOfItComesWhileTheDropWaitsForTheLocks() throws Exception {
        var run = endedOnTheDay();
        node(run, "a", endedOnTheDay());
        lockTimeoutOfDrops("10s");
        try (var retrying = HeldTransaction.on(db)) {
            var _ = retrying.run("SELECT 1 FROM executions WHERE execution_id = $1", run);
            var _ = retrying.run(
                    "INSERT INTO workflow_runs (run_id, job_id, name, retry_of) VALUES ($1, $2, 'x', $2)",
                    rows.live().insert(),
                    run);
            var dropping = retrying.blocks(days.drop(OLD, end()));
            retrying.commit();

            assertThat(dropping.get().outcome()).isEqualTo(Outcome.BUSY);
        } finally {
            lockTimeoutOfDrops("100ms");
        }
        assertThat(drop()).isEqualTo(Outcome.DROPPED);
        assertThat(db.number("SELECT count(*) FROM executions")).isEqualTo(2);
    }

    /** Its executions have ids of the time at which it began, which the second look does not reach. */
    @Test
    void aDayStaysWhereAnOldOperationRepeatsAnExecutionWhileTheDropWaitsForTheLocks() throws Exception {
        var parent = endedOnTheDay();
        var child = endedOnTheDay();
        db.execute("INSERT INTO job_edges VALUES ($1, $2, 'a', true)", child, parent);
        var operation = Rows.idFrom(Duration.ofHours(1));
        db.execute(
                "INSERT INTO operations (operation_id, action, selection, rate_per_sec, next_at, created_at)"
                        + " VALUES ($1, 'RETRY', '{}', 1, now(), now() - interval '1 hour')",
                operation);
        lockTimeoutOfDrops("10s");
        try (var repeating = HeldTransaction.on(db)) {
            var _ = repeating.run("SELECT 1 FROM executions WHERE execution_id = $1", child);
            var _ = repeating.run(
                    "INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at)"
                            + " VALUES ($1, $2, 4, now(), now(), now())",
                    ReplayId.of(operation, child),
                    child);
            var _ = repeating.run("UPDATE operations SET done = done + 1 WHERE operation_id = $1", operation);
            var dropping = repeating.blocks(days.drop(OLD, end()));
            repeating.commit();

            assertThat(dropping.get().outcome()).isEqualTo(Outcome.BUSY);
        } finally {
            lockTimeoutOfDrops("100ms");
        }
        assertThat(drop()).isEqualTo(Outcome.DROPPED);
        assertThat(partitionsOf(parent)).containsExactly("executions_default", "attempts_default");
    }

    private static void lockTimeoutOfDrops(String time) {
        db.execute("ALTER FUNCTION history_drop_day(text, timestamptz, integer) SET lock_timeout = '" + time + "'");
    }

    @Test
    void theParentsOfAJobThatIsBeingRepeatedStay() {
        var parent = endedOnTheDay();
        var child = endedOnTheDay();
        db.execute("INSERT INTO job_edges VALUES ($1, $2, 'a', true)", child, parent);
        var replay = rows.live().insert();
        db.execute("UPDATE exec_live SET job_id = $1 WHERE execution_id = $2", child, replay);

        assertThat(drop()).isEqualTo(Outcome.DROPPED);

        assertThat(partitionsOf(parent)).containsExactly("executions_default", "attempts_default");
    }

    @Test
    void aLongReadDelaysTheDropAndNobodyElse() {
        var id = endedOnTheDay();
        try (var reading = HeldTransaction.on(db)) {
            var _ = reading.run("SELECT 1 FROM executions WHERE execution_id = $1", id);

            assertThat(drop()).isEqualTo(Outcome.BUSY);
            var later = endedOnTheDay();
            assertThat(partitionsOf(later)).isNotEmpty();
            reading.commit();
        }
        assertThat(drop()).isEqualTo(Outcome.DROPPED);
    }

    @Test
    void oneProcessDropsADayAndTheOthersGoOn() {
        try (var other = HeldTransaction.on(db)) {
            var _ = other.run("SELECT pg_advisory_xact_lock('executions'::regclass::bigint)");

            assertThat(drop()).isEqualTo(Outcome.BUSY);
            assertThat(await(days.make(TODAY.plusDays(20)))).isFalse();
        }
        assertThat(drop()).as("a crash leaves nothing behind").isEqualTo(Outcome.DROPPED);
        assertThat(drop()).as("there is nothing any more").isEqualTo(Outcome.BUSY);
    }

    @Test
    void thoseWhoWorkMeanwhileNeverFail() throws InterruptedException {
        for (var day = 1; day < DAYS; day++) {
            assertThat(await(days.make(DAY.minusDays(day)))).isTrue();
        }
        var over = new AtomicBoolean();
        var clients = new ArrayList<CompletableFuture<Integer>>();
        for (var client = 0; client < 10; client++) {
            clients.add(CompletableFuture.supplyAsync(() -> work(over), Thread::startVirtualThread));
        }
        try {
            for (var day = 0; day < DAYS; day++) {
                var old = new Partition(true, DAY.minusDays(day).plusDays(1));
                var ahead = TODAY.plusDays(30 + day);
                Eventually.await("a day ahead", TestDb.PATIENCE, () -> await(days.make(ahead)));
                Eventually.await(
                        "a drop",
                        TestDb.PATIENCE,
                        () -> await(days.drop(old, end())).outcome() == Outcome.DROPPED);
            }
        } finally {
            over.set(true);
        }
        assertThat(clients).allSatisfy(client -> assertThat(client.join()).isPositive());
    }

    /** Ends executions with ids of these days, and finds them, as others do. */
    private static int work(AtomicBoolean over) {
        var done = 0;
        while (!over.get()) {
            var id = Rows.idFrom(noon().plusDays(done % DAYS));
            await(db.database().run("""
                    WITH history AS (
                      INSERT INTO executions (execution_id, job_id, lane, status, attempt_count, run_at, completed_at,
                        created_at)
                      VALUES ($1::uuid, $1::uuid, 4, 'FAILED', 1, now(), now() - interval '39 days', now())
                    )
                    INSERT INTO attempts (execution_id, attempt_number, status, started_at, completed_at)
                    VALUES ($1::uuid, 1, 'FAILED', now(), now())
                    """, Tuple.of(id)));
            var _ = await(new ExecutionStore(db.database()).find(id));
            done++;
        }
        return done;
    }
}
