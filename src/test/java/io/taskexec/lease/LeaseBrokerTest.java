package io.taskexec.lease;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.taskexec.loop.LoopTimer;
import io.taskexec.model.lease.CancelReason;
import io.taskexec.observe.metrics.Meters;
import io.taskexec.resolve.RealResolver;
import io.taskexec.secret.KeyRing;
import io.taskexec.secret.SecretCipher;
import io.taskexec.store.execution.LeaseStore;
import io.taskexec.store.execution.PulledClaims;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.job.CancelSignal;
import io.taskexec.store.pull.LeaseTerms;
import io.taskexec.store.pull.PullQueues;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.store.wakeup.HearingSignal;
import io.taskexec.store.wakeup.ProcessBroadcast;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.HeldTransaction;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import io.taskexec.wait.RealOutsideResults;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

@StoreTest
class LeaseBrokerTest {
    private static final int RESIZE = 7;
    private static final int OTHER = 8;

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private final HeldLeases held = new HeldLeases(new ProcessBroadcast(), new CancelSignal());
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final LoopTimer timer = new LoopTimer();
    private final LeaseStore leases = Stores.leases(db.database());
    private final PullQueues queues = new PullQueues(db.database());
    private final PullClaims claims = new PullClaims(
            new PulledClaims(db.database(), FlowReleases.none(db.database())),
            queues,
            new LeaseTerms(db.database()),
            leases,
            db.region("default"),
            RealResolver.on(db.database(), new SecretCipher(KeyRing.parse(KeyRing.generate()))),
            RealOutsideResults.on(db));
    private final WaitingCalls calls = new WaitingCalls(held, claims, new LeaseMetrics(Meters.of(registry)));

    @AfterEach
    void close() {
        timer.close();
    }

    @BeforeAll
    static void makeEndpoints() {
        makeEndpoint(RESIZE, "resize");
        makeEndpoint(OTHER, "other");
    }

    private static void makeEndpoint(int queue, String name) {
        db.execute("INSERT INTO queues (queue_id, name, pulled) VALUES (%d, 'worker:%s', true)".formatted(queue, name));
        rows.endpoint(name).insert();
        db.execute("UPDATE endpoint_versions SET endpoint_type = 'WORKER', spec = '{}', queue_id = %d WHERE name = '%s'"
                .formatted(queue, name));
    }

    private static UUID due(int queue, String endpoint) {
        return rows.live()
                .endpoint(endpoint)
                .lane(Lanes.lane(queue, 0, false, 4))
                .insert();
    }

    private LeaseBroker broker() {
        return broker(new DueSignal());
    }

    private LeaseBroker broker(DueSignal dueSignal) {
        return new LeaseBroker(claims, queues, calls, dueSignal, timer);
    }

    private static PullCall call(String endpoint) {
        return call(endpoint, Duration.ofMinutes(1));
    }

    private static PullCall call(String endpoint, Duration patience) {
        return call(endpoint, patience, false);
    }

    private static PullCall call(String endpoint, Duration patience, boolean full) {
        var worker = "worker of " + endpoint;
        return call(worker, endpoint, patience, full);
    }

    private static PullCall call(String worker, String endpoint, Duration patience, boolean full) {
        var request = new LeaseRequest(worker, List.of(endpoint), 1, patience, Duration.ofMinutes(1), 7, full);
        return new PullCall(request, null, endpoint::equals);
    }

    private static void postpone(UUID execution) {
        db.execute("UPDATE exec_live SET visible_at = now() + interval '1 hour' WHERE execution_id = $1", execution);
    }

    private static void becomeDue(UUID execution) {
        db.execute("UPDATE exec_live SET visible_at = now() WHERE execution_id = $1", execution);
    }

    /** Where the times of those that are not due are read, a time without a beginning cannot be told as a number. */
    @Test
    void aFailureTakesBackNothingThatACallWasAnsweredWith() {
        var due = due(RESIZE, "resize");
        var unreadable = due(OTHER, "other");
        db.execute("UPDATE exec_live SET visible_at = '-infinity' WHERE execution_id = $1", unreadable);
        var broker = broker();
        var answered = call("resize");
        var waiting = call("other");
        broker.ask(answered);
        broker.ask(waiting);

        try (var other = HeldTransaction.on(db)) {
            var _ = other.run("SELECT 1 FROM exec_live WHERE execution_id = $1 FOR UPDATE", unreadable);
            assertThatThrownBy(() -> await(broker.runOnce())).isNotNull();
        }

        assertThat(waiting.answer()).isCompletedExceptionally();
        assertThat(answered.answer().join().leases())
                .extracting(one -> one.lease().claim().executionId())
                .containsExactly(due);
        assertThat(held.size()).isEqualTo(1);
        assertThat(broker.isAsked()).isFalse();
        assertThat(registry.counter("taskexec.leases.returned").count()).isZero();
    }

    @Test
    void aCallThatComesAfterALookInVainWaitsForASignal() {
        var execution = due(RESIZE, "resize");
        postpone(execution);
        var broker = broker(HearingSignal.create());
        var first = call("resize");
        broker.ask(first);
        await(broker.runOnce());
        becomeDue(execution);
        var second = call("resize");
        broker.ask(second);

        await(broker.runOnce());
        assertThat(first.answer()).isNotDone();
        assertThat(second.answer()).isNotDone();

        broker.look();
        await(broker.runOnce());
        assertThat(List.of(first, second))
                .filteredOn(call -> call.answer().isDone())
                .hasSize(1);
    }

    @Test
    void aCallThatWaitsForNothingLooksAlways() {
        var execution = due(RESIZE, "resize");
        postpone(execution);
        var broker = broker(HearingSignal.create());
        var first = call("resize", Duration.ZERO);
        broker.ask(first);
        await(broker.runOnce());
        assertThat(first.answer().join().leases()).isEmpty();
        becomeDue(execution);
        var second = call("resize", Duration.ZERO);
        broker.ask(second);

        await(broker.runOnce());

        assertThat(second.answer().join().leases()).hasSize(1);
    }

    @Test
    void aCallForAnotherEndpointLooksForItself() {
        postpone(due(RESIZE, "resize"));
        var due = due(OTHER, "other");
        var broker = broker(HearingSignal.create());
        broker.ask(call("resize"));
        await(broker.runOnce());
        var other = call("other");
        broker.ask(other);

        await(broker.runOnce());

        assertThat(other.answer().join().leases())
                .extracting(one -> one.lease().claim().executionId())
                .containsExactly(due);
    }

    private static PullCall fullCall(String endpoint) {
        return call(endpoint, Duration.ofMinutes(1), true);
    }

    @Test
    void aWorkerWithoutRoomIsNotLookedForAndIsToldWhatToStop() {
        var _ = due(RESIZE, "resize");
        var broker = broker();
        var taking = call("resize");
        broker.ask(taking);
        await(broker.runOnce());
        var _ = due(RESIZE, "resize");
        var full = fullCall("resize");
        broker.ask(full);

        assertThat(await(broker.runOnce())).isGreaterThan(Duration.ofSeconds(30));
        assertThat(full.answer()).isNotDone();
        assertThat(calls.awaited()).isEmpty();

        var lease = taking.answer().join().leases().getFirst().lease();
        held.cancel(lease, CancelReason.PREEMPTED);
        await(broker.runOnce());
        assertThat(full.answer().join().notices())
                .extracting(HeldLeases.Notice::reason)
                .containsExactly(CancelReason.PREEMPTED);
        assertThat(full.answer().join().leases()).isEmpty();
    }

    @Test
    void aKeyOfAnotherEndpointHearsNothingThatAWorkerOfTheSameNameIsToStop() {
        var _ = due(RESIZE, "resize");
        var broker = broker();
        var taking = call("resize");
        broker.ask(taking);
        await(broker.runOnce());
        var other = call("worker of resize", "other", Duration.ofMinutes(1), true);
        broker.ask(other);

        held.cancel(taking.answer().join().leases().getFirst().lease(), CancelReason.CANCELLED);
        await(broker.runOnce());
        assertThat(other.answer()).isNotDone();

        var own = fullCall("resize");
        broker.ask(own);
        await(broker.runOnce());
        assertThat(other.answer()).isNotDone();
        assertThat(own.answer().join().notices())
                .extracting(HeldLeases.Notice::endpoint)
                .containsExactly("resize");
    }

    @Test
    void whatAClientThatHasGoneDidNotGetIsDueAgainWithoutAnAttempt() throws InterruptedException {
        var execution = due(RESIZE, "resize");
        var broker = broker();
        var gone = call("resize");
        broker.ask(gone);
        await(broker.runOnce());
        assertThat(gone.answer()).isDone();

        calls.abandon(gone);

        Eventually.await(
                "it is due again",
                TestDb.PATIENCE,
                () -> db.number("SELECT count(*) FROM exec_live WHERE lease_token IS NULL AND attempt = 0"
                                + " AND visible_at <= now() AND execution_id = '%s'".formatted(execution))
                        == 1);
        assertThat(held.size()).isZero();
        assertThat(registry.counter("taskexec.leases.returned").count()).isEqualTo(1);
        assertThat(db.number("SELECT count(*) FROM attempts")).isZero();
    }

    @Test
    void whatHasExpiredIsEndedByTheClaimThatFindsItAndNotHandedOut() {
        var expired = due(RESIZE, "resize");
        db.execute("UPDATE exec_live SET expires_at = now() - interval '1 second' WHERE execution_id = $1", expired);
        var broker = broker();
        var call = call("resize", Duration.ZERO);
        broker.ask(call);

        await(broker.runOnce());

        assertThat(call.answer().join().leases()).isEmpty();
        assertThat(db.row("SELECT status, attempt_count FROM executions WHERE execution_id = $1", expired)
                        .getString("status"))
                .isEqualTo("EXPIRED");
        assertThat(db.number("SELECT count(*) FROM exec_live")).isZero();
    }

    /** What is due soon needs no signal. */
    @Test
    void aCallThatComesAfterALookInVainSleepsUntilTheNextIsDue() {
        var execution = due(RESIZE, "resize");
        db.execute("UPDATE exec_live SET visible_at = now() + interval '3 seconds' WHERE execution_id = $1", execution);
        var broker = broker(HearingSignal.create());
        broker.ask(call("resize"));
        await(broker.runOnce());
        broker.ask(call("resize"));

        // Without it, it would look after four.
        assertThat(await(broker.runOnce())).isPositive().isLessThanOrEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void aCallLooksForItselfWhileOtherProcessesAreNotHeard() {
        var execution = due(RESIZE, "resize");
        postpone(execution);
        var broker = broker();
        broker.ask(call("resize"));
        await(broker.runOnce());
        becomeDue(execution);
        var second = call("resize");
        broker.ask(second);

        await(broker.runOnce());

        assertThat(broker.isAsked()).isTrue();
        assertThat(held.size()).isEqualTo(1);
    }

    @Test
    void theEndpointsOfAWorkerTakeTurns() {
        var minute = Duration.ofMinutes(1);
        var broker = broker();
        var got = new HashSet<String>();
        for (var i = 0; i < 2; i++) {
            var _ = due(RESIZE, "resize");
            var _ = due(OTHER, "other");
            var request = new LeaseRequest("worker", List.of("resize", "other"), 1, minute, minute, 7, false);
            var call = new PullCall(request, null, _ -> true);
            broker.ask(call);
            await(broker.runOnce());
            got.add(call.answer().join().leases().getFirst().lease().claim().endpoint());
        }

        assertThat(got).containsExactlyInAnyOrder("resize", "other");
    }
}
