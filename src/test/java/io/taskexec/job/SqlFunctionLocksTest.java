package io.taskexec.job;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.PublicId;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.flow.FlowKey;
import io.taskexec.model.job.OnConflict;
import io.taskexec.store.endpoint.EndpointStore;
import io.taskexec.store.endpoint.EndpointStore.Registration;
import io.taskexec.store.endpoint.Precondition;
import io.taskexec.store.endpoint.QueueSettingsStore;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.job.CancelSignal;
import io.taskexec.store.job.CancelStore;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.sql.LockedException;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.HeldTransaction;
import io.taskexec.testing.Jdbc;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import io.vertx.pgclient.PgException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A transaction of an application that stays open holds up nobody but those who want the same key or job. */
@NeedsOwnServer("The functions are only for PostgreSQL.")
class SqlFunctionLocksTest {
    private static final String CREATE = "SELECT taskexec_api.create_job('welcome', 'held', '{\"n\": 1}')";
    private static final String CANCEL = "SELECT taskexec_api.cancel_job('welcome', 'held')";

    /** More than 200 ms, for a slow machine; whoever really waits would do so for the 20 s of a statement. */
    private static final Duration SOON = Duration.ofSeconds(10);

    /** By which an open transaction may delay others. */
    private static final Duration DELAY = Duration.ofMillis(200);

    private static final int ROUNDS = 7;
    private static final int MOST_KEYS = 50;

    private static JobBed bed;

    @BeforeAll
    static void open() {
        bed = new JobBed(TestDb.withoutPatience());
        SqlFunctions.announceRegion(bed.db, false);
        bed.rows.endpoint("limited").insert();
        bed.rows.flowPolicy("limited", "max_concurrency", "1");
        bed.db.execute("INSERT INTO queues (queue_id, name) VALUES (7, 'mails')");
    }

    @AfterAll
    static void close() {
        bed.close();
    }

    @BeforeEach
    void clear() {
        bed.rows.clearJobs();
    }

    private static String body(String key) {
        return "{'endpoint': 'welcome', 'idempotency_key': '%s', 'input': {'n': 1}}".formatted(key);
    }

    private static Duration timed(Runnable work) {
        var start = System.nanoTime();
        work.run();
        return Duration.ofNanos(System.nanoTime() - start);
    }

    /** The slowest of 100 callers who come at the same time as some that want certain keys; whether those had them. */
    private record Crowd(Duration slowest, List<Boolean> hasKeys) {
        static Crowd with(List<String> keys) {
            return of(Stream.concat(keys.stream(), others()).toList(), keys);
        }

        /** Those who want the keys come between the others. */
        static Crowd among(List<String> keys) {
            return of(
                    Stream.concat(keys.stream(), others())
                            .sorted(Comparator.comparingInt(String::hashCode))
                            .toList(),
                    keys);
        }

        private static Stream<String> others() {
            return IntStream.range(0, 100).mapToObj(_ -> UUID.randomUUID().toString());
        }

        private static Crowd of(List<String> all, List<String> keys) {
            var start = System.nanoTime();
            var calls = all.stream()
                    .map(each -> bed.creating(body(each))
                            .map(_ -> System.nanoTime() - start)
                            .onFailure(LockedException.class)
                            .recoverWithItem(-1L))
                    .toList();
            var answers = await(Uni.join().all(calls).andFailFast());
            var times = IntStream.range(0, all.size()).boxed().collect(Collectors.toMap(all::get, answers::get));
            var hasKeys = keys.stream()
                    .map(key -> Objects.requireNonNull(times.get(key)) >= 0)
                    .toList();
            times.keySet().removeAll(keys);
            assertThat(times.values()).doesNotContain(-1L);
            return new Crowd(
                    Duration.ofNanos(times.values().stream().max(Long::compare).orElseThrow()), hasKeys);
        }
    }

    @Test
    void onlyWhoWantsTheSameKeyIsRefused() {
        var delays = new ArrayList<Duration>();
        try (var application = HeldTransaction.on(bed.db)) {
            var _ = application.run("SELECT taskexec_api.create_job('welcome', 'held-' || n)"
                    + " FROM generate_series(0, %d) AS n".formatted(ROUNDS * MOST_KEYS - 1));
            for (var n = 0; n < ROUNDS; n++) {
                var keys = IntStream.range(n * MOST_KEYS, n * MOST_KEYS + (n < ROUNDS - 3 ? 1 : MOST_KEYS))
                        .mapToObj(key -> "held-" + key)
                        .toList();
                var free = Crowd.with(List.of("free-" + n));
                var blocked = n == ROUNDS - 1 ? Crowd.among(keys) : Crowd.with(keys);

                assertThat(free.hasKeys()).containsOnly(true);
                assertThat(blocked.hasKeys()).containsOnly(false);
                assertThat(blocked.slowest()).isLessThan(SOON);
                if (keys.size() == 1) {
                    delays.add(blocked.slowest().minus(free.slowest()));
                }
                System.out.printf(
                        "SqlFunctionLocksTest slowest of 100 others: %d ms, beside %d that want keys of an open"
                                + " transaction %d ms%n",
                        free.slowest().toMillis(),
                        blocked.hasKeys().size(),
                        blocked.slowest().toMillis());
            }
            assertThatThrownBy(() -> bed.create(body("held-0"))).isInstanceOf(LockedException.class);
            application.commit();
        }
        // Most rounds may have a busy machine against them. Where 50 want such keys at once, SOON alone is certain.
        Collections.sort(delays);
        assertThat(delays.getFirst()).as("the least of %s", delays).isLessThan(DELAY);
        assertThat(bed.db.number("SELECT count(*) FROM jobs")).isEqualTo(ROUNDS * (201L + MOST_KEYS));
    }

    /** One after the other, each for itself: only one who wants the key waits, and no longer than its share. */
    @Test
    void othersDoNotNoticeAnOpenTransaction() {
        try (var application = HeldTransaction.on(bed.db)) {
            var _ = application.run(CREATE);
            var others = new ArrayList<Duration>();
            for (var n = 0; n < 20; n++) {
                var blocked = bed.creating(body("held")).subscribeAsCompletionStage();
                var key = "beside-" + n;
                others.add(timed(() -> {
                    var _ = bed.create(body(key));
                }));
                assertThat(blocked)
                        .failsWithin(SOON)
                        .withThrowableOfType(ExecutionException.class)
                        .withCauseInstanceOf(LockedException.class);
            }
            Collections.sort(others);
            assertThat(others.get(others.size() / 4))
                    .as("the lower quarter of %s", others)
                    .isLessThan(DELAY);
            assertThat(others.getLast()).isLessThan(SOON);
        }
    }

    @Test
    void whoComesWhileATransactionIsOpenGetsTheJobThatItCommits() throws InterruptedException {
        try (var application = HeldTransaction.on(bed.db)) {
            var _ = application.run(CREATE);
            var repeating = application.blocks(bed.creating(body("held")));
            application.commit();

            assertThat(await(Uni.createFrom().completionStage(repeating)).created())
                    .isFalse();
        }
    }

    @Test
    void whoDependsOnAJobThatIsBeingCancelledHoldsUpNobody() {
        var parent = PublicId.JOB.show(bed.create(body("parent")).id());
        try (var application = HeldTransaction.on(bed.db)) {
            var _ = application.run("SELECT taskexec_api.cancel_job('welcome', 'parent')");
            var child = bed.creating("{'endpoint': 'welcome', 'idempotency_key': 'child', 'trigger': 'IMMEDIATE',"
                            + " 'depends_on': ['%s']}".formatted(parent))
                    .subscribeAsCompletionStage();

            assertThat(Crowd.with(List.of()).slowest()).isLessThan(SOON);
            assertThat(child)
                    .failsWithin(SOON)
                    .withThrowableOfType(ExecutionException.class)
                    .withCauseInstanceOf(LockedException.class);
        }
    }

    @Test
    void whoeverReplacesOrRepeatsWithTheSameKeyIsRefusedToo() {
        try (var application = HeldTransaction.on(bed.db)) {
            var _ = application.run(CREATE);

            assertThatThrownBy(
                            () -> bed.create("{'endpoint': 'welcome', 'idempotency_key': 'held', 'on_conflict': '%s'}"
                                    .formatted(OnConflict.REPLACE.word())))
                    .isInstanceOf(LockedException.class);
            assertThatThrownBy(
                            () -> bed.create("{'endpoint': 'welcome', 'idempotency_key': 'held', 'cron': '0 9 * * *',"
                                    + " 'timezone': 'UTC'}"))
                    .isInstanceOf(LockedException.class);
            assertThatThrownBy(() -> bed.db.row(CREATE))
                    .isInstanceOfSatisfying(
                            PgException.class, e -> assertThat(e.getSqlState()).isEqualTo("55P03"));
        }
        assertThat(bed.db.number("SELECT count(*) FROM jobs")).isZero();
    }

    @Test
    void aJobIsFoundByItsKeyOnceItIsCommitted() {
        try (var application = HeldTransaction.on(bed.db)) {
            var _ = application.run(CREATE);
            assertThat(SqlFunctions.status(bed.db, "welcome", "held")).isNull();
            application.commit();
        }
        assertThat(bed.create(body("held")).created()).isFalse();
        assertThat(bed.db.number("SELECT count(*) FROM jobs")).isEqualTo(1);
    }

    @Test
    void endpointsGetNewVersionsAndQueuesAreMadeMeanwhile() {
        var endpoints = new EndpointStore(bed.db.database());
        try (var application = HeldTransaction.on(bed.db)) {
            var _ = application.run(CREATE);

            var took = timed(() -> assertThat(await(endpoints.update(again(endpoints, "made-now"), Precondition.NONE)))
                    .isNotNull());
            assertThat(took).isLessThan(SOON);

            assertThatThrownBy(() -> await(endpoints.delete("welcome", Precondition.NONE)))
                    .isInstanceOf(LockedException.class);
            application.commit();
        }
        assertThat(bed.db.row("SELECT endpoint_version FROM jobs").getInteger(0))
                .isLessThan(
                        Objects.requireNonNull(await(endpoints.find("welcome"))).version());
        var _ = await(endpoints.update(again(endpoints, "default"), Precondition.NONE));
    }

    private static Registration again(EndpointStore endpoints, String queue) {
        var now = Objects.requireNonNull(await(endpoints.find("welcome")));
        return new Registration(
                now.name(),
                null,
                null,
                queue,
                now.spec(),
                now.retryPolicy(),
                now.callbacks(),
                now.onWorkerLost(),
                false,
                null,
                null,
                Set.of());
    }

    @Test
    void aQueueThatAJobNamesIsNotDeletedMeanwhile() {
        var queues = new QueueSettingsStore(bed.db.database());
        try (var application = HeldTransaction.on(bed.db)) {
            var _ = application.run("SELECT taskexec_api.create_job('welcome', 'held', queue => 'mails')");

            assertThatThrownBy(() -> await(queues.delete("mails", Precondition.NONE)))
                    .isInstanceOf(LockedException.class);
        }
    }

    private static List<Claim> claim() {
        return await(Stores.leases(bed.db.database())
                .claim(Lanes.of(List.of(0)), 10, Duration.ofMinutes(1), UUID.randomUUID()));
    }

    @Test
    void claimsAndBulkCancellationsGoOnMeanwhile() {
        var claimed = bed.create(body("first")).id();
        var cancelled = bed.create("{'endpoint': 'welcome', 'idempotency_key': 'later', 'delay': 'PT1H'}")
                .id();
        try (var application = HeldTransaction.on(bed.db)) {
            var _ = application.run(CREATE);

            var took = timed(() -> {
                assertThat(claim()).extracting(Claim::executionId).containsExactly(claimed);
                var done = await(bed.db
                        .database()
                        .withTransaction(transaction -> CancelStore.cancelWaiting(
                                bed.db.database(), transaction, List.of(cancelled, UUID.randomUUID()))));
                assertThat(done.count()).isEqualTo(1);
            });
            assertThat(took).isLessThan(SOON);
            application.commit();
        }
        assertThat(claim()).hasSize(1);
    }

    @Test
    void aJobThatIsBeingCancelledIsNotClaimedAndOthersAreToldToComeBack() {
        var job = bed.create(body("timer")).id();
        var other = bed.create(body("other")).id();
        var cancelling = Stores.cancelling(bed.db.database(), new CancelSignal());
        try (var application = HeldTransaction.on(bed.db)) {
            var _ = application.run(CANCEL.replace("held", "timer"));

            assertThat(claim()).extracting(Claim::executionId).containsExactly(other);
            assertThatThrownBy(() -> await(cancelling.cancel(job, false))).isInstanceOf(LockedException.class);
            assertThatThrownBy(() -> await(cancelling.cancel("welcome", "timer", job, false)))
                    .isInstanceOf(LockedException.class);
            assertThatThrownBy(() -> bed.create(body("timer"))).isInstanceOf(LockedException.class);
        }
        assertThat(claim())
                .as("it was taken back")
                .extracting(Claim::executionId)
                .containsExactly(job);
        assertThat(SqlFunctions.cancel(bed.db, "welcome", "timer")).isFalse();
    }

    @Test
    void whatIsParkedIsReleasedAlthoughAnApplicationTookItsCancellationBack() throws InterruptedException {
        var releases = new FlowReleases(bed.db.database(), new DueSignal());
        var flow = FlowKey.of("limited", "").id();
        var parked = bed.rows.live().endpoint("limited").key("held").parked("").insert();
        bed.db.execute("UPDATE flow_limits SET lined = true");
        try (var application = HeldTransaction.on(bed.db)) {
            var _ = application.run("SELECT taskexec_api.cancel_job('limited', 'held')");
            assertThat(await(releases.release(List.of(flow)))).isZero();
        }
        assertThat(bed.db.number("SELECT count(*) FROM flow_limits WHERE release_at IS NOT NULL"))
                .isEqualTo(1);

        assertThat(await(releases.release(List.of(flow)))).isEqualTo(1);
        assertThat(bed.db
                        .row("SELECT execution_id FROM exec_live WHERE flow_state = 0")
                        .getUUID(0))
                .isEqualTo(parked);
    }

    @Test
    void theLineOfAKeyGoesOnWhenAnApplicationHasCancelledAJobOfIt() {
        var releases = new FlowReleases(bed.db.database(), new DueSignal());
        var free = bed.rows.live().endpoint("limited").key("free").flow("");
        var _ = free.insert();
        var parked =
                bed.rows.live().endpoint("limited").key("parked").parked("").insert();
        bed.db.execute("UPDATE flow_limits SET lined = true");

        assertThat(SqlFunctions.cancel(bed.db, "limited", "free")).isTrue();
        await(releases.releaseRequested());

        assertThat(bed.db
                        .row("SELECT execution_id FROM exec_live WHERE flow_state = 0")
                        .getUUID(0))
                .isEqualTo(parked);
        assertThat(bed.db.number("SELECT count(*) FROM flow_requests")).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE})
    void aSnapshotFromBeforeTheKeyWasTakenIsAConflict(int isolation) throws SQLException {
        try (var application = Jdbc.to(bed.db);
                var statement = application.createStatement()) {
            application.setTransactionIsolation(isolation);
            application.setAutoCommit(false);
            var _ = statement.execute("SELECT count(*) FROM jobs");
            var _ = bed.create(body("taken"));

            assertThatThrownBy(() -> statement.execute(CREATE.replace("held", "taken")))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("40001"));
            application.rollback();

            var _ = statement.execute(CREATE.replace("held", "taken"));
            application.commit();
        }
        assertThat(bed.db.number("SELECT count(*) FROM jobs")).isEqualTo(1);
    }

    @Test
    void aJobThatATransactionCreatesAndCancelsNeverWas() {
        try (var application = HeldTransaction.on(bed.db)) {
            var _ = application.run(CREATE);
            var _ = application.run(CANCEL);
            var _ = application.run(CREATE);
            application.commit();
        }
        assertThat(claim()).hasSize(1);
        assertThat(bed.db.number("SELECT count(*) FROM executions WHERE status = 'CANCELLED'"))
                .isEqualTo(1);
    }
}
