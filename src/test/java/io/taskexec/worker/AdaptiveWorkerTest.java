package io.taskexec.worker;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.dispatch.OpenDispatcher;
import io.taskexec.loop.LoopTimer;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.endpoint.EndpointEvent;
import io.taskexec.model.job.Failure;
import io.taskexec.resolve.RealResolver;
import io.taskexec.secret.KeyRing;
import io.taskexec.secret.SecretCipher;
import io.taskexec.store.endpoint.BreakerStore;
import io.taskexec.store.endpoint.QueueStore;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.store.wakeup.DueSignal.Work;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.NewClaim;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import io.taskexec.worker.adaptive.AdaptiveLimits;
import io.taskexec.worker.adaptive.TestAdaptive;
import io.taskexec.worker.breaker.Breakers;
import io.taskexec.worker.breaker.TestBreakers;
import io.taskexec.worker.observe.TestObservation;
import io.taskexec.workflow.RealWorkflows;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreTest
class AdaptiveWorkerTest {
    private static final Duration BOUND = Duration.ofSeconds(60);
    private static final SecretCipher CIPHER = new SecretCipher(KeyRing.parse(KeyRing.generate()));
    private static final String ENDPOINT = "crowded";

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static Receiver receiver;
    private static LoopTimer timer;

    private final DueSignal dueSignal = new DueSignal();
    private final AdaptiveLimits limits = TestAdaptive.on(db.database(), dueSignal);
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private Worker worker;

    @BeforeAll
    static void open() {
        receiver = new Receiver();
        timer = new LoopTimer();
        rows.endpoint(ENDPOINT)
                .url(receiver.uri("/").toString())
                .attempts(50, Duration.ofMillis(20))
                .insert();
    }

    @AfterAll
    static void close() {
        timer.close();
        receiver.close();
    }

    @BeforeEach
    void prepare() {
        receiver.clear();
        db.execute("DELETE FROM breakers");
        db.execute("DELETE FROM flow_policies");
        db.execute("DELETE FROM endpoint_events");
        var breakers = new Breakers(new BreakerStore(db.database()), limits, TestBreakers.DEFAULT);
        var resolver = RealResolver.on(db.database(), CIPHER);
        var pipeline = new Pipeline(
                resolver,
                TestDeliveries.of(OpenDispatcher.on(TestDb.vertx()), resolver, db),
                Stores.recorder(db.database(), dueSignal),
                breakers,
                new PauseGate(new QueueStore(db.database())),
                TestObservation.off(),
                RealWorkflows.on(db, dueSignal));
        worker = WorkerBed.worker(
                db, pipeline, limits, new TestConfig(64, 50, Duration.ofMinutes(1), 30), dueSignal, timer);
        dueSignal.onSignal(Work.PUSHED, worker::wake);
    }

    @AfterEach
    void stop() {
        await(worker.stop());
    }

    /** Takes so many calls at once for some time, and refuses all others at once. */
    private void takeAtOnce(int most, Duration time) {
        receiver.answer(_ -> {
            if (calls.incrementAndGet() > most) {
                calls.decrementAndGet();
                refused.incrementAndGet();
                return Answer.of(429, "too many");
            }
            var done = new CompletableFuture<Void>().completeOnTimeout(null, time.toMillis(), TimeUnit.MILLISECONDS);
            return Answer.of(200, "{}").after(done.thenRun(calls::decrementAndGet));
        });
    }

    private static void queue(int count) {
        for (var i = 0; i < count; i++) {
            rows.live().endpoint(ENDPOINT).insert();
        }
    }

    private static void awaitEnd() throws InterruptedException {
        Eventually.await("all have ended", BOUND, () -> db.number("SELECT count(*) FROM exec_live") == 0);
    }

    private static long events(EndpointEvent.Kind kind) {
        return db.number("SELECT count(*) FROM endpoint_events WHERE kind = '" + kind + "'");
    }

    @Test
    void aReceiverThatRefusesCallsGetsAsManyAtOnceAsItTakesAndItsBreakerStaysClosed() throws InterruptedException {
        takeAtOnce(8, Duration.ofMillis(20));
        queue(1_500);

        worker.start();
        awaitEnd();

        assertThat(db.number("SELECT count(*) FROM executions WHERE status = 'SUCCESS'"))
                .isEqualTo(1_500);
        assertThat(events(EndpointEvent.Kind.LIMITED)).isEqualTo(1);
        assertThat(events(EndpointEvent.Kind.BREAKER_OPEN)).isZero();
        assertThat(refused.get()).isLessThan(300);
        assertThat(db.number("SELECT adaptive_limit FROM flow_policies")).isBetween(2L, 20L);
        assertThat(db.number("SELECT sum(open) FROM flow_limits")).isZero();
    }

    @Test
    void refusalsOfAKeyWithItsOwnLimitsCountForTheBreaker() {
        var refusal = new Outcome.RetryableFailure(new Failure(Failure.Type.HTTP_ERROR, "too many", 429, null), null);

        assertThat(limits.answers(claim(null), refusal)).isTrue();
        assertThat(limits.answers(claim(7L), refusal)).isFalse();
    }

    private static Claim claim(@Nullable Long flowId) {
        return new NewClaim().endpoint(ENDPOINT).flow(flowId).claimed();
    }

    @Test
    void aReceiverThatFailsEachCallIsLeftToItsBreaker() throws InterruptedException {
        receiver.answer(Answer.of(503, "down"));
        queue(50);

        worker.start();

        Eventually.await("the breaker opens", BOUND, () -> events(EndpointEvent.Kind.BREAKER_OPEN) == 1);
        assertThat(events(EndpointEvent.Kind.LIMITED)).isZero();
    }

    @Test
    void aLimitThatIsNotUsedAnyMoreEnds() throws InterruptedException {
        takeAtOnce(4, Duration.ofMillis(20));
        queue(200);
        worker.start();
        awaitEnd();
        assertThat(events(EndpointEvent.Kind.LIMITED)).isEqualTo(1);

        // A worker may still count the refusals of the last calls, and change the limit once more.
        Eventually.await("the limit has ended", BOUND, () -> {
            db.execute("UPDATE flow_policies SET adaptive_at = now() - interval '2 minutes',"
                    + " refused_at = now() - interval '2 minutes'");
            return db.number("SELECT count(*) FROM flow_policies") == 0;
        });
        assertThat(events(EndpointEvent.Kind.UNLIMITED)).isEqualTo(1);
    }

    /** As if the limit had been changed then: it doubles a second later. */
    private static void changedAt(String time) {
        db.execute("UPDATE flow_policies SET adaptive_at = " + time);
    }

    @Test
    void aReceiverThatHasRecoveredGetsOneCallAtATimeAndThenMore() throws InterruptedException {
        takeAtOnce(100, Duration.ofMillis(5));
        limits.recovered(ENDPOINT);
        Eventually.await("it is limited", BOUND, () -> events(EndpointEvent.Kind.LIMITED) == 1);
        Eventually.await("it is known", BOUND, () -> {
            await(limits.look());
            return db.number("SELECT adaptive_limit FROM flow_policies") == 1;
        });
        var most = new AtomicInteger();
        receiver.answer(_ -> {
            most.accumulateAndGet(calls.incrementAndGet(), Math::max);
            var done = new CompletableFuture<Void>().completeOnTimeout(null, 100, TimeUnit.MILLISECONDS);
            return Answer.of(200, "{}").after(done.thenRun(calls::decrementAndGet));
        });
        queue(60);
        changedAt("now() + interval '1 hour'");

        worker.start();
        receiver.awaitCount(3, BOUND);
        assertThat(most.get()).isEqualTo(1);
        changedAt("now() - interval '1 second'");
        awaitEnd();

        assertThat(most.get()).isGreaterThan(3);
        assertThat(events(EndpointEvent.Kind.BREAKER_OPEN)).isZero();
    }
}
