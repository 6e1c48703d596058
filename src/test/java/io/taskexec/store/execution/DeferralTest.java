package io.taskexec.store.execution;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.Rows.json;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.Transition;
import io.taskexec.model.wait.DeferralMode;
import io.taskexec.model.wait.DeferralTerms;
import io.taskexec.model.wait.Report;
import io.taskexec.store.sql.Fence;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.wait.DeferralStore;
import io.taskexec.store.wait.ReportStore;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.HeldTransaction;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import io.vertx.mutiny.sqlclient.Row;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreTest
class DeferralTest {
    private static final Integer[] LANES = Lanes.of(List.of(0));
    private static final Integer[] KEYED =
            Arrays.stream(LANES).map(lane -> Lanes.keyed(lane)).toArray(Integer[]::new);
    private static final UUID WORKER = UUID.randomUUID();
    private static final Transition SUCCESS = new Transition.Succeed(json("{}"));
    private static final Transition RETRY = new Transition.RetryAfter(Duration.ZERO, json("{'type': 'TIMEOUT'}"));
    private static final Report ALIVE = new Report(null, null, null, null);
    private static final DeferralTerms TERMS =
            new DeferralTerms(DeferralMode.CALLBACK, Duration.ofHours(1), null, null, null);
    private static final Transition DEFER = new Transition.Defer(TERMS);

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static LeaseStore leases;
    private static ResultRecorder recorder;
    private static CallbackClaims callbacks;
    private static ReportStore reports;
    private static DeferralStore deferrals;

    @BeforeAll
    static void open() {
        leases = Stores.leases(db.database());
        recorder = Stores.recorder(db.database());
        callbacks = new CallbackClaims(db.database());
        reports = new ReportStore(db.database(), new DueSignal());
        deferrals = new DeferralStore(db.database());
        rows.endpoint(ENDPOINT).insert();
        rows.flowPolicy(ENDPOINT, "max_concurrency", "1");
    }

    @BeforeEach
    void clear() {
        db.execute("DELETE FROM deferrals");
        db.execute("DELETE FROM execution_progress");
        db.execute("UPDATE queues SET paused_at = NULL");
    }

    private static List<Claim> claim() {
        return await(leases.claim(LANES, 10, Duration.ofMinutes(1), WORKER));
    }

    private static Claim claimed() {
        rows.live().insert();
        return claim().getFirst();
    }

    private static Claim deferred() {
        var claim = claimed();
        assertThat(recorded(claim, DEFER)).isTrue();
        return claim;
    }

    private static boolean recorded(Claim claim, Transition transition) {
        return await(recorder.record(claim, WORKER, transition));
    }

    private static Row live(Claim claim) {
        return db.row("SELECT * FROM exec_live WHERE execution_id = $1", claim.executionId());
    }

    /** A worker looks after it, since its time has come. */
    private static Claim looked(Claim claim) {
        db.execute("UPDATE exec_live SET visible_at = now() WHERE execution_id = $1", claim.executionId());
        return claim().getFirst();
    }

    private static Instant deadline(Claim claim) {
        return Objects.requireNonNull(await(deferrals.find(claim.executionId())))
                .deferral()
                .deadline();
    }

    @Test
    void aDeferredExecutionHasNoLeaseAndKeepsItsAttempt() {
        var claim = claimed();
        var startedAt = live(claim).getOffsetDateTime("started_at");

        assertThat(recorded(claim, DEFER)).isTrue();

        var row = live(claim);
        assertThat(row.getLong("lease_token")).isNull();
        assertThat(row.getBoolean("deferred")).isTrue();
        assertThat(row.getInteger("attempt")).isEqualTo(1);
        assertThat(row.getOffsetDateTime("started_at")).isEqualTo(startedAt);
        assertThat(claim()).isEmpty();
        assertThat(Duration.between(Instant.now(), deadline(claim)))
                .isBetween(Duration.ofMinutes(59), Duration.ofMinutes(61));
    }

    @Test
    void aLookIsNoAttemptAndADeadLookerLosesNone() {
        var claim = deferred();
        var startedAt = live(claim).getOffsetDateTime("started_at");

        assertThat(looked(claim)).satisfies(look -> {
            assertThat(look.isDeferred()).isTrue();
            assertThat(look.attempt()).isEqualTo(1);
        });
        var again = looked(claim);

        assertThat(again.attempt()).isEqualTo(1);
        assertThat(again.rescues()).isZero();
        assertThat(live(claim).getOffsetDateTime("started_at")).isEqualTo(startedAt);
        assertThat(db.number("SELECT count(*) FROM attempts WHERE execution_id = $1", claim.executionId()))
                .isZero();
    }

    @Test
    void whatIsHandedBackStaysDeferred() {
        var claim = deferred();

        assertThat(await(leases.handBack(List.of(looked(claim)), Duration.ZERO)))
                .isEqualTo(1);
        assertThat(live(claim).getInteger("attempt")).isEqualTo(1);
        assertThat(recorded(claim().getFirst(), new Transition.Wait(Duration.ofMinutes(1))))
                .isTrue();

        assertThat(live(claim).getInteger("attempt")).isEqualTo(1);
        assertThat(live(claim).getBoolean("deferred")).isTrue();
        assertThat(live(claim).getOffsetDateTime("started_at")).isNotNull();
    }

    @Test
    void aLookThatEndsTheAttemptLeadsToTheNextOne() {
        var claim = deferred();

        assertThat(recorded(looked(claim), RETRY)).isTrue();

        var next = claim().getFirst();
        assertThat(next.attempt()).isEqualTo(2);
        assertThat(next.isDeferred()).isFalse();
        assertThat(await(callbacks.take(claim.executionId(), 1))).isEmpty();
        assertThat(await(callbacks.take(claim.executionId(), 2))).isPresent();
        assertThat(await(callbacks.take(claim.executionId(), 3))).isEmpty();
    }

    @Test
    void theCallbackOfALostAttemptCounts() {
        var claim = claimed();
        db.execute("UPDATE exec_live SET visible_at = now() WHERE execution_id = $1", claim.executionId());
        var second = claim().getFirst();
        assertThat(second.attempt()).isEqualTo(2);

        var taken = await(callbacks.take(claim.executionId(), 1)).orElseThrow();

        assertThat(recorded(second, DEFER)).isFalse();
        assertThat(recorded(taken, SUCCESS)).isTrue();
        assertThat(await(deferrals.wasSettled(second))).isTrue();
    }

    @Test
    void aRecordedResultIsKnownByItsAttemptItsWorkerAndItsStatus() {
        var claim = claimed();
        assertThat(recorded(claim, RETRY)).isTrue();

        assertThat(await(deferrals.wasRecorded(claim, WORKER, RETRY))).isTrue();
        assertThat(await(deferrals.wasRecorded(claim, UUID.randomUUID(), RETRY)))
                .isFalse();
        assertThat(await(deferrals.wasRecorded(claim, WORKER, SUCCESS))).isFalse();
        assertThat(await(deferrals.wasRecorded(claim, WORKER, DEFER))).isFalse();
        assertThat(await(deferrals.wasRecorded(claim().getFirst(), WORKER, RETRY)))
                .isFalse();
    }

    @Test
    void ofTwoCallbacksAtOnceOneHasTheLease() {
        var claim = deferred();

        var first = await(callbacks.take(claim.executionId(), 1)).orElseThrow();
        var second = await(callbacks.take(claim.executionId(), 1)).orElseThrow();

        assertThat(recorded(first, SUCCESS)).isFalse();
        assertThat(recorded(second, SUCCESS)).isTrue();
        assertThat(await(callbacks.take(claim.executionId(), 1))).isEmpty();
    }

    @Test
    void aReportIsTakenUntilTheAttemptHasEnded() {
        var claim = deferred();
        var id = claim.executionId();

        assertThat(await(reports.record(id, 1, new Report(Duration.ofHours(3), 1.0, 4.0, "one"))))
                .isTrue();
        assertThat(await(reports.record(id, 2, ALIVE))).isFalse();
        assertThat(Duration.between(Instant.now(), deadline(claim))).isGreaterThan(Duration.ofHours(2));
        assertThat(recorded(looked(claim), RETRY)).isTrue();
        assertThat(await(reports.record(id, 1, ALIVE))).isFalse();
    }

    @Test
    void noReportMakesADeferralLongerThanThreeHundredAndSixtySixDays() {
        var claim = deferred();
        db.execute("UPDATE deferrals SET since = now() - 365 * interval '24 hours'");

        assertThat(await(reports.record(claim.executionId(), 1, new Report(Duration.ofDays(2), null, null, null))))
                .isTrue();

        assertThat(Duration.between(Instant.now(), deadline(claim)))
                .isBetween(Duration.ofHours(23), Duration.ofHours(25));
    }

    @Test
    void aCallbackIsTakenWhileItsQueueIsPaused() {
        var claim = deferred();
        db.execute("UPDATE queues SET paused_at = now()");

        var taken = await(callbacks.take(claim.executionId(), 1)).orElseThrow();

        assertThat(recorded(taken, SUCCESS)).isTrue();
    }

    @Test
    void theRateIsThatOfTheLastReports() {
        var claim = deferred();
        var id = claim.executionId();
        assertThat(await(reports.record(id, 1, new Report(null, 0.0, 100.0, null))))
                .isTrue();
        db.execute(
                "UPDATE execution_progress SET window_at = now() - interval '40 s', next_at = now() - interval '10 s',"
                        + " next_done = 30");

        assertThat(await(reports.record(id, 1, new Report(null, 40.0, 100.0, null))))
                .isTrue();

        var execution = Objects.requireNonNull(await(new ExecutionStore(db.database()).find(id)));
        var progress = Objects.requireNonNull(execution.progress());
        assertThat(progress.rate()).isBetween(0.9, 1.1);
        assertThat(progress.percent()).isEqualTo(40);
        assertThat(Duration.between(Instant.now(), progress.estimatedCompletion()))
                .isBetween(Duration.ofSeconds(50), Duration.ofSeconds(70));
    }

    @Test
    void aReportTakesTheLeaseOfALookThatHasNotSeenIt() {
        var claim = deferred();
        var look = looked(claim);

        assertThat(await(reports.record(claim.executionId(), 1, new Report(Duration.ofHours(2), null, null, null))))
                .isTrue();

        assertThat(recorded(look, RETRY)).isFalse();
        assertThat(claim().getFirst().isDeferred()).isTrue();
    }

    @Test
    void timeThatIsAskedForBeforeTheAnswerIsRecordedCounts() {
        var claim = claimed();

        assertThat(await(reports.record(claim.executionId(), 1, new Report(Duration.ofHours(5), null, null, null))))
                .isTrue();
        assertThat(recorded(claim, DEFER)).isTrue();

        assertThat(Duration.between(Instant.now(), deadline(claim))).isGreaterThan(Duration.ofHours(4));
    }

    @Test
    void theFailureOfALostAttemptTakesTheRowOfTheLostOneOver() {
        var claim = claimed();
        assertThat(recorded(claim, new Transition.Interrupt())).isTrue();

        var taken = await(callbacks.take(claim.executionId(), 1)).orElseThrow();

        assertThat(recorded(taken, RETRY)).isTrue();
        assertThat(db.row("SELECT status FROM attempts WHERE execution_id = $1", claim.executionId())
                        .getString("status"))
                .isEqualTo("FAILED");
    }

    private static int open(String flowKey) {
        return db.row("SELECT open FROM flow_limits WHERE flow_key = $1", flowKey)
                .getInteger("open");
    }

    private static List<Claim> claimKeyed() {
        return await(leases.claimKeyed(KEYED, 10, Duration.ofMinutes(1), WORKER))
                .claims();
    }

    private static Claim claimedKeyed(String flowKey) {
        rows.live().flow(flowKey).insert();
        return claimKeyed().getFirst();
    }

    @Test
    void aDeferredExecutionKeepsThePlaceOfItsKeyWhateverBecomesOfALook() {
        var claim = claimedKeyed("kept");
        assertThat(recorded(claim, DEFER)).isTrue();
        db.execute("UPDATE exec_live SET visible_at = now() WHERE execution_id = $1", claim.executionId());

        assertThat(await(leases.handBack(claimKeyed(), Duration.ZERO))).isEqualTo(1);

        assertThat(open("kept")).isEqualTo(1);
        assertThat(live(claim).getInteger("flow_state")).isEqualTo(2);
        assertThat(recorded(claimKeyed().getFirst(), SUCCESS)).isTrue();
        assertThat(open("kept")).isZero();
    }

    @Test
    void theFailureOfAnInterruptedAttemptGivesBackNoPlaceThatItHasNot() {
        var claim = claimedKeyed("none");
        assertThat(recorded(claim, new Transition.Interrupt())).isTrue();
        assertThat(open("none")).isZero();

        var taken = await(callbacks.take(claim.executionId(), 1)).orElseThrow();

        assertThat(recorded(taken, RETRY)).isTrue();
        assertThat(open("none")).isZero();
    }

    /** The report reads its snapshot before the terms are committed, and finds them all the same. */
    @Test
    @NeedsOwnServer("It looks at who waits for whom, which PostgreSQL can say.")
    void aReportThatWaitsForTheRecordOfTheAnswerIsNotLost() throws Exception {
        var claim = claimed();
        try (var answer = HeldTransaction.on(db)) {
            var _ = answer.run(
                    "UPDATE exec_live SET deferred = true, lease_token = NULL, visible_at = now() + interval '1 h'"
                            + " WHERE execution_id = $1",
                    claim.executionId());
            var _ = answer.run(
                    "INSERT INTO deferrals (execution_id, attempt, mode, since, deadline, heard_at)"
                            + " VALUES ($1, 1, 'callback', now(), now() + interval '1 h', now())",
                    claim.executionId());
            var reported = answer.blocks(
                    reports.record(claim.executionId(), 1, new Report(Duration.ofHours(5), null, null, null)));
            answer.commit();
            assertThat(reported.get()).isTrue();
        }
        assertThat(Duration.between(Instant.now(), deadline(claim))).isGreaterThan(Duration.ofHours(4));
    }

    /** A callback waits for the end of the attempt that a worker is just recording, and is refused. */
    @Test
    @NeedsOwnServer("It looks at who waits for whom, which PostgreSQL can say.")
    void aCallbackThatWaitsForTheFailureOfItsAttemptIsRefused() throws Exception {
        var claim = claimed();
        try (var worker = HeldTransaction.on(db)) {
            assertThat(worker.run(
                            "UPDATE exec_live live SET lease_token = NULL, callback_from = attempt + 1 WHERE "
                                    + Fence.HELD,
                            new UUID[] {claim.executionId()},
                            new Long[] {claim.leaseToken()}))
                    .isEqualTo(1);
            var taken = worker.blocks(callbacks.take(claim.executionId(), 1));
            worker.commit();
            assertThat(taken.get()).isEmpty();
        }
    }
}
