package io.taskexec.store.execution;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.Transition;
import io.taskexec.model.endpoint.OnWorkerLost;
import io.taskexec.model.flow.FlowKey;
import io.taskexec.model.job.Attempt;
import io.taskexec.store.dependency.DependencyReleases;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.job.CancelSignal;
import io.taskexec.store.job.CancelStore;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.HeldTransaction;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Expired executions are ended by the worker that has claimed them, or by the duty that looks for them. */
@StoreTest
class ExpiryStoreTest {
    private static final Integer[] LANES = Lanes.of(List.of(0));
    private static final Integer[] KEYED =
            Arrays.stream(LANES).map(Lanes::keyed).toArray(Integer[]::new);
    private static final Duration LEASE = Duration.ofSeconds(60);
    private static final Duration BOUND = Duration.ofSeconds(20);
    private static final UUID WORKER = UUID.randomUUID();
    private static final Duration PAST = Duration.ofSeconds(-5);
    private static final Duration FUTURE = Duration.ofMinutes(5);

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    /** One that has claimed nothing yet looks at all that is due. */
    private final LeaseStore leases = Stores.leases(db.database());

    private static ResultRecorder recorder;
    private static ExpiryStore expiry;
    private static CancelStore cancelling;

    @BeforeAll
    static void open() {
        recorder = Stores.recorder(db.database());
        expiry = new ExpiryStore(
                db.database(),
                new FlowReleases(db.database(), new DueSignal()),
                new DependencyReleases(db.database(), new DueSignal()));
        cancelling = Stores.cancelling(db.database(), new CancelSignal());
        rows.endpoint(Rows.ENDPOINT).insert();
        rows.endpoint("once").onWorkerLost(OnWorkerLost.FAIL).insert();
        rows.endpoint("strict").insert();
        rows.flowPolicy("strict", "max_concurrency, fifo", "1, true");
    }

    @CanIgnoreReturnValue
    private static UUID expiring(UUID id, @Nullable Duration expiresIn, @Nullable Duration deadlineIn) {
        db.execute(
                "UPDATE exec_live SET expires_at = now() + $2::bigint * interval '1 millisecond',"
                        + " deadline = now() + $3::bigint * interval '1 millisecond' WHERE execution_id = $1",
                id,
                expiresIn == null ? null : expiresIn.toMillis(),
                deadlineIn == null ? null : deadlineIn.toMillis());
        return id;
    }

    private List<Claim> claim() {
        return await(leases.claim(LANES, 10, LEASE, WORKER));
    }

    private static int expire() {
        return await(expiry.expire(100));
    }

    private static @Nullable String ended(UUID id) {
        var found =
                db.rows("SELECT status || ' ' || attempt_count AS state FROM executions WHERE execution_id = $1", id);
        return found.isEmpty() ? null : found.getFirst().getString("state");
    }

    private static List<Attempt.Status> attempts(UUID id) {
        return await(new ExecutionStore(db.database()).attempts(id, 0, 100)).stream()
                .map(Attempt::status)
                .toList();
    }

    private static void record(Claim claim, Transition transition) {
        assertThat(await(recorder.record(claim, WORKER, transition))).isTrue();
    }

    @Test
    void whatWaitsAndHasExpiredIsEndedWithoutAnAttempt() {
        var late = expiring(rows.live().insert(), PAST, null);
        var parked = expiring(rows.live().endpoint("strict").parked("a").insert(), PAST, PAST);
        var pending = expiring(rows.live().dueIn(FUTURE).insert(), PAST, null);
        var early = expiring(rows.live().insert(), FUTURE, FUTURE);
        var endless = rows.live().insert();

        assertThat(expire()).isEqualTo(3);
        assertThat(expire()).isZero();

        for (var id : List.of(late, parked, pending)) {
            assertThat(ended(id)).isEqualTo("EXPIRED 0");
            assertThat(attempts(id)).isEmpty();
            assertThat(await(new ExecutionStore(db.database()).logs(id, 0, 10)))
                    .extracting(ExecutionStore.LogLine::message)
                    .containsExactly("expired: no attempt had begun in time");
        }
        assertThat(ended(early)).isNull();
        assertThat(ended(endless)).isNull();
    }

    @Test
    void asManyAreEndedAtOnceAsAreAskedFor() {
        IntStream.range(0, 5).forEach(_ -> expiring(rows.live().insert(), PAST, null));

        assertThat(await(expiry.expire(3))).isEqualTo(3);
        assertThat(await(expiry.expire(3))).isEqualTo(2);
    }

    @Test
    void aClaimTellsHowLongAnAttemptMayBeginAndItsWorkerEndsWhatHasExpired() {
        var late = expiring(rows.live().insert(), PAST, FUTURE);
        var early = expiring(rows.live().insert(), FUTURE, null);
        var endless = rows.live().insert();

        var claims = claim();

        assertThat(find(claims, late).expiresIn()).isNegative();
        assertThat(find(claims, early).expiresIn()).isBetween(FUTURE.minusSeconds(30), FUTURE);
        assertThat(find(claims, endless).expiresIn()).isNull();
        record(find(claims, late), new Transition.Expire());
        assertThat(ended(late)).isEqualTo("EXPIRED 0");
        assertThat(attempts(late)).isEmpty();
        assertThat(await(recorder.record(find(claims, late), WORKER, new Transition.Expire())))
                .as("it has ended")
                .isFalse();
    }

    private static Claim find(List<Claim> claims, UUID id) {
        return claims.stream()
                .filter(claim -> claim.executionId().equals(id))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void afterAnAttemptHasBegunOnlyTheDeadlineCounts() {
        var id = expiring(rows.live().insert(), FUTURE, FUTURE);
        var untilFirst = expiring(rows.live().insert(), FUTURE, null);
        for (var claim : claim()) {
            expiring(claim.executionId(), PAST, claim.executionId().equals(id) ? FUTURE : null);
            record(claim, new Transition.RetryAfter(Duration.ZERO, Rows.json("{'type': 'TIMEOUT', 'message': 'm'}")));
        }

        assertThat(expire()).isZero();
        assertThat(find(claim(), untilFirst).expiresIn()).isNull();
        assertThat(db.number("SELECT count(*) FROM exec_live WHERE expires_at = deadline"))
                .isEqualTo(1);

        db.execute("UPDATE exec_live SET lease_token = NULL");
        expiring(id, PAST, PAST);
        assertThat(expire()).isEqualTo(1);
        assertThat(ended(id)).isEqualTo("EXPIRED 2");
    }

    @Test
    void aRetryThatWouldComeAfterTheDeadlineIsNotWaitedFor() {
        var id = expiring(rows.live().insert(), FUTURE, FUTURE);
        var other = expiring(rows.live().insert(), FUTURE, FUTURE);
        var claims = claim();
        var error = Rows.json("{'type': 'TIMEOUT', 'message': 'm'}");

        record(find(claims, id), new Transition.RetryAfter(FUTURE, error));
        record(find(claims, other), new Transition.RetryAfter(FUTURE.dividedBy(2), error));

        assertThat(expire()).isEqualTo(1);
        assertThat(ended(id)).isEqualTo("EXPIRED 1");
        assertThat(attempts(id)).containsExactly(Attempt.Status.FAILED);
        assertThat(ended(other)).isNull();
    }

    @Test
    void whatRunsIsLeftToRunAndWhatWasLostExpiresByItsDeadline() {
        var running = expiring(rows.live().leased(WORKER, LEASE).insert(), PAST, PAST);
        var lost = expiring(rows.live().leased(WORKER, PAST).insert(), PAST, PAST);
        var again = expiring(rows.live().leased(WORKER, PAST).insert(), PAST, null);
        var once = expiring(rows.live().endpoint("once").leased(WORKER, PAST).insert(), PAST, PAST);

        assertThat(expire()).isEqualTo(1);

        assertThat(ended(lost)).isEqualTo("EXPIRED 1");
        assertThat(attempts(lost)).containsExactly(Attempt.Status.LOST);
        assertThat(List.of(running, again, once))
                .allSatisfy(id -> assertThat(ended(id)).isNull());
        assertThat(find(claim(), again).expiresIn())
                .as("an attempt may have begun")
                .isNull();
    }

    @Test
    void aDeadlineDoesNotEndWhatIsDeferred() {
        var waiting = expiring(rows.live().attempt(1).insert(), PAST, PAST);
        var lost = expiring(rows.live().leased(WORKER, PAST).insert(), PAST, PAST);
        db.execute("UPDATE exec_live SET deferred = true, started_at = now()");

        assertThat(expire()).isZero();
        assertThat(ended(waiting)).isNull();
        assertThat(ended(lost)).isNull();
    }

    @Test
    void anExecutionThatIsHandedBackMayStillExpire() {
        var id = expiring(rows.live().insert(), FUTURE, null);
        assertThat(await(leases.handBack(claim(), Duration.ZERO))).isEqualTo(1);
        expiring(id, PAST, null);

        assertThat(expire()).isEqualTo(1);
        assertThat(ended(id)).isEqualTo("EXPIRED 0");
    }

    @Test
    void theNextOfAStrictLineIsReleasedWhenItsHeadExpires() throws InterruptedException {
        var head = expiring(rows.live().endpoint("strict").parked("b").insert(), PAST, PAST);
        var next = rows.live().endpoint("strict").parked("b").insert();
        var key = FlowKey.of("strict", "b").id();

        assertThat(expire()).isEqualTo(1);

        assertThat(ended(head)).isEqualTo("EXPIRED 0");
        Eventually.await("the next one is released", BOUND, () -> state(next) == 2);

        var claims = await(leases.claimKeyed(KEYED, 10, LEASE, WORKER)).claims();
        var last = rows.live().endpoint("strict").parked("b").insert();
        db.execute("UPDATE flow_limits SET lined = true WHERE flow_id = $1", key);
        record(find(claims, next), new Transition.Expire());

        assertThat(ended(next)).isEqualTo("EXPIRED 0");
        Eventually.await("the last one is released", BOUND, () -> state(last) == 2);
        assertThat(db.number("SELECT open FROM flow_limits WHERE flow_id = $1", key))
                .isEqualTo(1);
    }

    private static int state(UUID id) {
        return db.row("SELECT flow_state FROM exec_live WHERE execution_id = $1", id)
                .getInteger("flow_state");
    }

    @Test
    void ofAScheduleItIsCountedAsExpired() {
        var schedule = UUID.randomUUID();
        var tick = expiring(rows.live().insert(), PAST, null);
        var claimed = expiring(rows.live().insert(), FUTURE, null);
        db.execute("UPDATE exec_live SET job_id = $1", schedule);

        var claims = claim();
        db.execute("UPDATE exec_live SET lease_token = NULL, attempt = 0 WHERE execution_id = $1", tick);
        assertThat(expire()).isEqualTo(1);
        record(find(claims, claimed), new Transition.Expire());

        assertThat(db.row("SELECT status, count::int, total_ms::int FROM job_stats WHERE job_id = $1", schedule)
                        .toJson()
                        .encode())
                .isEqualTo("{\"status\":\"EXPIRED\",\"count\":2,\"total_ms\":0}");
    }

    @Test
    @NeedsOwnServer("It looks at who waits for whom.")
    void whatAClaimHasLockedIsLeftToIt() {
        var id = expiring(rows.live().insert(), PAST, null);
        try (var claiming = HeldTransaction.on(db)) {
            claiming.run(
                    "UPDATE exec_live SET lease_token = 7, worker_id = $2, started_at = now(), attempt = 1,"
                            + " visible_at = now() + interval '1 minute' WHERE execution_id = $1",
                    id,
                    WORKER);

            assertThat(expire()).as("it is skipped").isZero();

            claiming.commit();
        }
        assertThat(expire()).as("it runs").isZero();
        assertThat(ended(id)).isNull();
    }

    @Test
    @NeedsOwnServer("It looks at who waits for whom.")
    void anEndBesideAnotherOneIsWrittenOnce() throws Exception {
        var id = expiring(rows.live().insert(), PAST, null);
        try (var expiring = HeldTransaction.on(db)) {
            expiring.run("DELETE FROM exec_live WHERE execution_id = $1", id);
            var cancelled = expiring.blocks(cancelling.cancel(id, true));
            assertThat(expire()).isZero();

            expiring.commit();

            assertThat(cancelled.join()).isFalse();
        }
    }

    @Test
    void tenClientsEndEachExecutionOnce() {
        var ids = IntStream.range(0, 200)
                .mapToObj(n -> expiring(rows.live().insert(), n % 2 == 0 ? PAST : null, null))
                .toList();

        var work = IntStream.range(0, 30)
                .mapToObj(n -> switch (n % 3) {
                    case 0 -> expiry.expire(20).replaceWithVoid();
                    case 1 -> cancelling.cancel(ids.get(n), false).replaceWithVoid();
                    default ->
                        leases.claim(LANES, 10, LEASE, WORKER)
                                .chain(claims -> all(claims.stream()
                                        .map(claim -> recorder.record(claim, WORKER, end(claim)))
                                        .toList()));
                })
                .toList();
        await(Uni.join().all(work).usingConcurrencyOf(10).andCollectFailures());
        while (expire() > 0) {
            // The rest.
        }

        assertThat(db.number("SELECT count(*) FROM exec_live WHERE expires_at IS NOT NULL"))
                .isZero();
        assertThat(db.number("SELECT count(*) FROM executions"))
                .isEqualTo(200 - db.number("SELECT count(*) FROM exec_live"));
        assertThat(db.number("SELECT count(*) FROM executions WHERE status = 'EXPIRED' AND attempt_count > 0"))
                .isZero();
    }

    private static Uni<Void> all(List<Uni<Boolean>> work) {
        return work.isEmpty()
                ? Uni.createFrom().voidItem()
                : Uni.join().all(work).andFailFast().replaceWithVoid();
    }

    private static Transition end(Claim claim) {
        return claim.expiresIn() == null ? new Transition.Succeed(Rows.json("{}")) : new Transition.Expire();
    }
}
