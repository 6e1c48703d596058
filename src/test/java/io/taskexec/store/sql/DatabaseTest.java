package io.taskexec.store.sql;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.smallrye.mutiny.Uni;
import io.taskexec.observe.metrics.Meters;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import io.vertx.pgclient.PgBuilder;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@StoreTest(clearJobs = false)
class DatabaseTest {
    @Inject
    private static TestDb db;

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @BeforeAll
    static void open() {
        db.execute("CREATE TABLE counters (name text PRIMARY KEY, value int NOT NULL)");
        db.execute("CREATE SEQUENCE runs");
        // Tables of the program need no such thing.
        db.execute("GRANT ALL ON counters TO PUBLIC");
        db.execute("GRANT ALL ON SEQUENCE runs TO PUBLIC");
    }

    @BeforeEach
    void clear() {
        db.execute("DELETE FROM counters");
        db.execute("INSERT INTO counters VALUES ('a', 0), ('b', 0)");
        db.execute("ALTER SEQUENCE runs RESTART");
    }

    @Test
    void aDeadlockIsResolvedByRunningTheLoserAgain() {
        var bothHoldOne = new Meeting(2);
        var runs = new AtomicInteger();

        await(Uni.join()
                .all(addInOrder("a", "b", bothHoldOne, runs), addInOrder("b", "a", bothHoldOne, runs))
                .andFailFast());

        assertThat(value("a")).isEqualTo(2);
        assertThat(value("b")).isEqualTo(2);
        assertThat(runs).hasValue(3);
    }

    private static Uni<Void> addInOrder(String first, String second, Meeting meeting, AtomicInteger runs) {
        return db.database().withTransaction(transaction -> {
            runs.incrementAndGet();
            return add(transaction, first).chain(meeting::join).chain(() -> add(transaction, second));
        });
    }

    @Test
    void aSerializationFailureIsResolvedByRunningTheLoserAgain() {
        var bothHaveRead = new Meeting(2);
        var runs = new AtomicInteger();

        await(Uni.join()
                .all(readAndAdd(bothHaveRead, runs), readAndAdd(bothHaveRead, runs))
                .andFailFast());

        assertThat(value("a")).isEqualTo(2);
        assertThat(runs).hasValue(3);
    }

    private static Uni<Void> readAndAdd(Meeting meeting, AtomicInteger runs) {
        return db.database().withTransaction(transaction -> {
            runs.incrementAndGet();
            return transaction
                    .query("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE")
                    .execute()
                    .chain(() -> Database.on(transaction, "SELECT value FROM counters WHERE name = 'a'", Tuple.tuple()))
                    .chain(rows ->
                            meeting.join().replaceWith(rows.iterator().next().getInteger("value")))
                    .chain(read -> Database.on(
                            transaction, "UPDATE counters SET value = $1 WHERE name = 'a'", Tuple.of(read + 1)))
                    .replaceWithVoid();
        });
    }

    @Test
    void whatIsRehearsedIsThereWithinAndGoneAfterwards() {
        var seen = await(db.database()
                .rehearse(rehearsal -> rehearsal
                        .run("UPDATE counters SET value = 7 WHERE name = 'a'", Tuple.tuple())
                        .chain(() -> rehearsal.withTransaction(transaction ->
                                Database.on(transaction, "UPDATE counters SET value = value + 1", Tuple.tuple())))
                        .chain(() -> rehearsal.run("SELECT value FROM counters WHERE name = 'a'", Tuple.tuple()))
                        .map(rows -> rows.iterator().next().getInteger("value"))));

        assertThat(seen).isEqualTo(8);
        assertThat(value("a")).isZero();
        assertThat(value("b")).isZero();
    }

    @Test
    void aRehearsalThatFailsChangesNothingAndLeavesItsConnectionInOrder() {
        for (var n = 0; n < 20; n++) {
            assertThatThrownBy(() -> await(db.database()
                            .rehearse(rehearsal -> rehearsal
                                    .run("UPDATE counters SET value = 7", Tuple.tuple())
                                    .chain(() ->
                                            rehearsal.run("INSERT INTO counters VALUES ('a', 0)", Tuple.tuple())))))
                    .matches(failure -> Database.violatedConstraint(failure) != null);
        }

        assertThat(value("a")).isZero();
    }

    @Test
    void aRehearsalWhoseConnectionIsKilledRunsAgainOnAnother() {
        var rows = await(db.database().rehearse(rehearsal -> rehearsal.run("""
                        SELECT n, CASE WHEN n = 1 THEN pg_terminate_backend(pg_backend_pid()) END
                        FROM (SELECT nextval('runs') AS n) AS run
                        """, Tuple.tuple())));

        assertThat(rows.iterator().next().getLong("n")).isEqualTo(2);
    }

    @Test
    void aStatementWhoseConnectionIsKilledRunsAgainOnAnother() {
        var database = new Database(db.pool(), TestDb.PATIENCE);
        // A sequence remembers across the connection's death that there was a first run.
        var rows = await(database.run("""
                        SELECT n, CASE WHEN n = 1 THEN pg_terminate_backend(pg_backend_pid()) END
                        FROM (SELECT nextval('runs') AS n) AS run
                        """, Tuple.tuple()));

        assertThat(rows.iterator().next().getLong("n")).isEqualTo(2);
        assertThat(database.answerLostAt()).isNotNull();
        assertThat(database.hadOutageWithin(TestDb.PATIENCE)).isFalse();
    }

    @Test
    void aTransactionThatGoesOnAfterItsConnectionWasKilledRunsAgainOnAnother() {
        var runs = new AtomicInteger();

        await(db.database()
                .withTransaction(transaction -> runs.incrementAndGet() == 1
                        ? transaction
                                .query("SELECT pg_terminate_backend(pg_backend_pid())")
                                .execute()
                                .onFailure()
                                .recoverWithNull()
                                .chain(() -> add(transaction, "a"))
                        : add(transaction, "a")));

        assertThat(runs).hasValue(2);
        assertThat(value("a")).isEqualTo(1);
    }

    @Test
    void aConflictThatDoesNotEndIsTriedFiveTimesMoreAndCanBeTriedAgainLater() {
        var database = new Database(db.pool(), TestDb.PATIENCE);
        var runs = new AtomicInteger();

        assertThatThrownBy(() -> await(database.withTransaction(transaction -> {
                    runs.incrementAndGet();
                    return raise(transaction, "40001");
                })))
                .isExactlyInstanceOf(UnavailableException.class)
                .hasMessageContaining("40001 on purpose");
        assertThat(runs).hasValue(6);
        assertThat(database.answerLostAt()).isNull();
        assertThat(database.hadOutageWithin(TestDb.PATIENCE)).isFalse();
    }

    @Test
    void whatAnotherTransactionHasLockedIsNoOutageAndNotTriedAgainAtOnce() {
        var database = new Database(db.pool(), TestDb.PATIENCE);
        var runs = new AtomicInteger();

        assertThatThrownBy(() -> await(database.withTransaction(transaction -> {
                    runs.incrementAndGet();
                    return raise(transaction, "55P03");
                })))
                .isInstanceOf(LockedException.class);
        assertThat(runs).hasValue(1);
        assertThat(database.hadOutageWithin(TestDb.PATIENCE)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"53300", "57P03", "08006", "25006", "28P01", "28000", "3D000"})
    void whatADatabaseInTroubleRefusesCanBeTriedAgainLater(String state) {
        var database = new Database(db.pool(), TestDb.PATIENCE);

        assertThatThrownBy(() -> await(database.withTransaction(transaction -> raise(transaction, state))))
                .isExactlyInstanceOf(UnavailableException.class)
                .hasNoCause()
                .matches(e -> e.getStackTrace().length == 0);
        assertThat(database.hadOutageWithin(TestDb.PATIENCE)).isTrue();
    }

    @NeedsOwnServer("It makes a role.")
    @Test
    void whileItsLoginIsRefusedAProcessTriesAgainUntilItIsAllowed() {
        db.execute("CREATE ROLE locked_out NOLOGIN PASSWORD 'old'");
        var options = db.server().setUser("locked_out").setPassword("old");
        options.getProperties().remove("deadlock_timeout");
        var pool = Pool.newInstance(
                PgBuilder.pool().connectingTo(options).using(TestDb.vertx()).build());
        try {
            var database = new Database(pool, TestDb.PATIENCE, false, Meters.of(registry));
            assertThatThrownBy(() -> await(database.run("SELECT 1", Tuple.tuple())))
                    .isExactlyInstanceOf(UnavailableException.class)
                    .hasMessageContaining("28000");
            assertThat(counted("28000")).isPositive();
            assertThat(database.hadOutageWithin(TestDb.PATIENCE)).isTrue();
            assertThat(database.answerLostAt()).isNull();

            db.execute("ALTER ROLE locked_out LOGIN");
            assertThat(await(database.run("SELECT 1", Tuple.tuple())).rowCount())
                    .isEqualTo(1);
        } finally {
            await(pool.close());
            db.execute("DROP ROLE locked_out");
        }
    }

    @Test
    void aStatementThatTheServerEndsForItsTimeIsNoOutageAndNotRunAgain() {
        var runs = new AtomicInteger();
        var database = new Database(db.pool(), TestDb.PATIENCE, false, Meters.of(registry));

        assertThatThrownBy(() -> await(database.withTransaction(transaction -> {
                    runs.incrementAndGet();
                    return transaction
                            .query("SET LOCAL statement_timeout = 50")
                            .execute()
                            .chain(() -> Database.on(transaction, "SELECT pg_sleep(60)", Tuple.tuple()))
                            .replaceWithVoid();
                })))
                .isExactlyInstanceOf(UnavailableException.class)
                .hasMessageContaining("57014");
        assertThat(runs).hasValue(1);
        assertThat(counted("57014")).isEqualTo(1);
        assertThat(database.hadOutageWithin(TestDb.PATIENCE)).isFalse();
        assertThat(database.answerLostAt()).isNull();
    }

    /** A primary that another server has replaced, and to which a busy pool would stay connected. */
    @NeedsOwnServer("CockroachDB ends no connections for a client.")
    @Test
    void aConnectionToAServerThatHasBecomeReadOnlyIsReplaced() {
        var single = db.withConnections(1);
        var readOnly = single.query("SET default_transaction_read_only = on");
        try {
            await(readOnly.execute());
            await(new Database(single, TestDb.PATIENCE)
                    .run("UPDATE counters SET value = 1 WHERE name = 'a'", Tuple.tuple()));

            await(readOnly.execute());
            await(new Database(single, TestDb.PATIENCE).withTransaction(transaction -> add(transaction, "a")));
        } finally {
            await(single.close());
        }
        assertThat(value("a")).isEqualTo(2);
    }

    @Test
    void aTransactionThatTheServerEndsSinceNothingComesIsNoOutage() {
        var database = new Database(db.pool(), TestDb.PATIENCE);

        assertThatThrownBy(() -> await(database.withTransaction(transaction -> transaction
                        .query("SET LOCAL idle_in_transaction_session_timeout = 50")
                        .execute()
                        .onItem()
                        .delayIt()
                        .by(Duration.ofMillis(500))
                        .chain(() -> Database.on(transaction, "SELECT 1", Tuple.tuple()))
                        .replaceWithVoid())))
                .isExactlyInstanceOf(UnavailableException.class);
        assertThat(await(database.run("SELECT 1", Tuple.tuple())).rowCount()).isEqualTo(1);
    }

    @Test
    void ofAHeartbeatThatTheServerEndsForItsTimeThoseOfOthersMayBeMissingToo() {
        var database = new Database(db.pool(), TestDb.PATIENCE);

        assertThatThrownBy(() -> await(database.beat(raising("57014"), Tuple.tuple())))
                .isExactlyInstanceOf(UnavailableException.class);
        assertThat(database.hadOutageWithin(TestDb.PATIENCE)).isTrue();
    }

    @Test
    void whoeverWaitsForAConnectionDoesNotWaitForEver() {
        var single = db.withConnections(1);
        var database = new Database(single, Duration.ofMillis(50), false, Meters.of(registry));
        var holder = await(single.getConnection());
        try {
            assertThatThrownBy(() -> await(database.run("SELECT 1", Tuple.tuple())))
                    .isExactlyInstanceOf(UnavailableException.class)
                    .hasMessageContaining("no answer within 2050 ms");
            assertThat(counted("timeout")).isEqualTo(1);
        } finally {
            await(holder.close());
            await(single.close());
        }
    }

    @Test
    void aTransactionThatFailsIsRolledBack() {
        assertThatThrownBy(() -> await(db.database()
                        .withTransaction(transaction -> add(transaction, "a")
                                .chain(() -> Uni.createFrom().failure(new IllegalStateException("ours"))))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("ours");

        assertThat(value("a")).isZero();
    }

    @Test
    void errorsInTheDataAreNotTriedAgain() {
        var runs = new AtomicInteger();

        assertThatThrownBy(() -> await(db.database().withTransaction(transaction -> {
                    runs.incrementAndGet();
                    return Database.on(transaction, "INSERT INTO counters VALUES ('a', 1)", Tuple.tuple());
                })))
                .matches(Database::blamesData)
                .matches(e -> "counters_pkey".equals(Database.violatedConstraint(e)));
        assertThat(runs).hasValue(1);
        assertThatThrownBy(() -> await(db.database().run("SELECT 1 / $1::int", Tuple.of(0))))
                .matches(Database::blamesData)
                .matches(e -> Database.violatedConstraint(e) == null);
    }

    @Test
    void anErrorInTheStatementIsNobodysDataAndNotTriedAgain() {
        var runs = new AtomicInteger();

        assertThatThrownBy(() -> await(db.database().withTransaction(transaction -> {
                    runs.incrementAndGet();
                    return Database.on(transaction, "SELECT * FROM nothing_of_that_name", Tuple.tuple());
                })))
                .matches(e -> !Database.blamesData(e));
        assertThat(runs).hasValue(1);
    }

    @Test
    void itSaysWhetherTheDatabaseAnswers() {
        assertThat(await(db.database().answers(TestDb.PATIENCE))).isTrue();
        var closed = TestDb.fresh();
        closed.close();
        assertThat(await(closed.database().answers(Duration.ofSeconds(5)))).isFalse();
    }

    private double counted(String code) {
        return registry.get("taskexec.db.retries").tag("code", code).counter().count();
    }

    private static Uni<Void> raise(SqlConnection transaction, String state) {
        return transaction.query(raising(state)).execute().replaceWithVoid();
    }

    private static String raising(String state) {
        return "DO $$ BEGIN RAISE EXCEPTION 'on purpose' USING ERRCODE = '" + state + "'; END $$";
    }

    private static Uni<Void> add(SqlConnection transaction, String name) {
        return Database.on(transaction, "UPDATE counters SET value = value + 1 WHERE name = $1", Tuple.of(name))
                .replaceWithVoid();
    }

    private static long value(String name) {
        return db.number("SELECT value FROM counters WHERE name = $1", name);
    }

    /** Lets nobody pass before all have come; afterwards everybody passes. */
    private static final class Meeting {
        private final AtomicInteger missing;
        private final CompletableFuture<Void> complete = new CompletableFuture<>();

        Meeting(int people) {
            missing = new AtomicInteger(people);
        }

        Uni<Void> join() {
            if (missing.decrementAndGet() == 0) {
                complete.complete(null);
            }
            return Uni.createFrom().completionStage(() -> complete.copy());
        }
    }
}
