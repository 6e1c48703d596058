package io.taskexec.worker;

import static io.taskexec.testing.TestDb.PATIENCE;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import io.taskexec.dispatch.Dispatcher;
import io.taskexec.dispatch.OpenDispatcher;
import io.taskexec.loop.LoopTimer;
import io.taskexec.model.PublicId;
import io.taskexec.model.endpoint.OnWorkerLost;
import io.taskexec.model.job.Attempt;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.resolve.RealResolver;
import io.taskexec.secret.KeyRing;
import io.taskexec.secret.SecretCipher;
import io.taskexec.store.clock.ClockStore;
import io.taskexec.store.endpoint.SecretStore;
import io.taskexec.store.execution.LeaseStore;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.HeldTransaction;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreTest
class WorkerTest {
    private static final SecretCipher CIPHER = new SecretCipher(KeyRing.parse(KeyRing.generate()));

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static Receiver receiver;
    private static LoopTimer timer;

    private final DueSignal dueSignal = new DueSignal();
    private Worker worker;

    @BeforeAll
    static void open() {
        receiver = new Receiver();
        timer = new LoopTimer();
        rows.endpoint("once").url(receiver.uri("/once").toString()).insert();
        rows.endpoint("thrice")
                .url(receiver.uri("/thrice").toString())
                .attempts(3, Duration.ofMillis(20))
                .insert();
        rows.config("mail", "{'from': 'a@b.test'}");
        assertThat(await(new SecretStore(db.database()).create("token", CIPHER.encrypt("token", "s3cr3t-t0k3n"))))
                .isNotNull();
        rows.endpoint("full")
                .url(receiver.uri("/full").toString())
                .header("Authorization", "Bearer {{secret.token}}")
                .body("{'to': '{{input.to}}', 'sum': '{{input.sum}}', 'from': '{{config.from}}'}")
                .config("mail")
                .secrets("token")
                .attempts(3, Duration.ofMillis(20))
                .insert();
    }

    @AfterAll
    static void close() {
        timer.close();
        receiver.close();
    }

    @BeforeEach
    void start() {
        receiver.clear();
        receiver.answer(Answer.of(200, "{}"));
        worker = worker(new TestConfig(10, 50, Duration.ofMinutes(1), 30));
    }

    @AfterEach
    void stop() {
        await(worker.stop());
    }

    private Worker worker(TestConfig config) {
        return worker(config, OpenDispatcher.on(TestDb.vertx()));
    }

    private Worker worker(TestConfig config, Dispatcher dispatcher) {
        return WorkerBed.delivering(db, dispatcher, RealResolver.on(db.database(), CIPHER), config, dueSignal, timer);
    }

    @Test
    void whatIsQueuedIsDeliveredAndItsAnswerRecorded() {
        receiver.answer(Answer.of(201, "created"));
        var id = rows.live()
                .endpoint("full")
                .input("{'to': 'ada@b.test', 'sum': 12.50}")
                .insert();

        worker.start();
        var execution = WorkerBed.ended(db, id);

        assertThat(execution.status()).isEqualTo(ExecutionStatus.SUCCESS);
        assertThat(execution.configVersion()).isEqualTo(1);
        assertThat(execution.output()).hasToString("{\"status_code\":201,\"body\":\"created\"}");
        assertThat(receiver.requests()).hasSize(1);
        var received = receiver.requests().getFirst();
        assertThat(received.body()).isEqualTo("{\"to\":\"ada@b.test\",\"sum\":12.50,\"from\":\"a@b.test\"}");
        assertThat(received.header("Authorization")).isEqualTo("Bearer s3cr3t-t0k3n");
        assertThat(received.header("Taskexec-Attempt")).isEqualTo("1");
    }

    private static void expiresIn(UUID id, Duration time) {
        db.execute(
                "UPDATE exec_live SET expires_at = now() + $2::bigint * interval '1 millisecond'"
                        + " WHERE execution_id = $1",
                id,
                time.toMillis());
    }

    private static void assertExpired(UUID id) {
        var execution = WorkerBed.ended(db, id);
        assertThat(execution.status()).isEqualTo(ExecutionStatus.EXPIRED);
        assertThat(execution.attemptCount()).isZero();
        assertThat(execution.startedAt()).isNull();
        assertThat(WorkerBed.attempts(db, id)).isEmpty();
    }

    @Test
    void whatHasExpiredIsNotDeliveredAndAllElseOfItsClaimIs() {
        var late = rows.live().endpoint("once").insert();
        expiresIn(late, Duration.ofMillis(-1));
        var early = rows.live().endpoint("once").insert();
        expiresIn(early, Duration.ofMinutes(1));

        worker.start();

        assertExpired(late);
        assertThat(WorkerBed.ended(db, early).status()).isEqualTo(ExecutionStatus.SUCCESS);
        assertThat(receiver.requests()).hasSize(1);
    }

    @Test
    @NeedsOwnServer("It looks at who waits for whom.")
    void whatExpiresBeforeItsCallBeginsIsNotDelivered() throws InterruptedException {
        worker.start();
        assertThat(WorkerBed.ended(db, rows.live().endpoint("once").insert()).status())
                .isEqualTo(ExecutionStatus.SUCCESS);
        receiver.clear();
        var id = rows.live()
                .endpoint("full")
                .input("{'to': 'ada@b.test', 'sum': 1}")
                .dueIn(Duration.ofHours(1))
                .insert();

        try (var changing = HeldTransaction.on(db)) {
            changing.run("LOCK TABLE secrets IN ACCESS EXCLUSIVE MODE");
            expiresIn(id, Duration.ofSeconds(9));
            var _ = changing.blocks(Uni.createFrom().emitter(_ -> {
                db.execute("UPDATE exec_live SET visible_at = now() WHERE execution_id = $1", id);
                worker.wake();
            }));
            Eventually.await(
                    "it has expired",
                    Duration.ofSeconds(20),
                    () -> db.number("SELECT count(*) FROM exec_live WHERE expires_at <= now()") == 1);
            changing.commit();
        }

        assertExpired(id);
        assertThat(receiver.requests()).isEmpty();
    }

    @Test
    void aRetryableFailureIsTriedAgainUnderTheSameIdentity() {
        var count = new AtomicInteger();
        receiver.answer(_ -> count.incrementAndGet() < 3 ? Answer.of(503, "busy") : Answer.of(200, "done"));
        var id = rows.live().endpoint("thrice").insert();

        worker.start();

        assertThat(WorkerBed.ended(db, id).status()).isEqualTo(ExecutionStatus.SUCCESS);
        assertThat(WorkerBed.attempts(db, id))
                .extracting(Attempt::status)
                .containsExactly(Attempt.Status.FAILED, Attempt.Status.FAILED, Attempt.Status.SUCCESS);
        assertThat(receiver.requests())
                .extracting(received -> received.header("Taskexec-Attempt"))
                .containsExactly("1", "2", "3");
        assertThat(receiver.requests())
                .extracting(received -> received.header("Idempotency-Key"))
                .containsOnly(receiver.requests().getFirst().header("Idempotency-Key"));
    }

    @Test
    void whatGoesOnFailingFailsWhenItsAttemptsAreUsedUp() {
        receiver.answer(Answer.of(500, "broken"));
        var id = rows.live().endpoint("thrice").insert();

        worker.start();
        var execution = WorkerBed.ended(db, id);

        assertThat(execution.status()).isEqualTo(ExecutionStatus.FAILED);
        assertThat(execution.attemptCount()).isEqualTo(3);
        assertThat(Objects.requireNonNull(execution.error()).path("status_code").intValue())
                .isEqualTo(500);
        assertThat(receiver.requests()).hasSize(3);
    }

    @Test
    void aPermanentFailureIsNotTriedAgain() {
        receiver.answer(Answer.of(404, "no such thing"));
        var id = rows.live().endpoint("thrice").insert();

        worker.start();

        assertThat(WorkerBed.ended(db, id).status()).isEqualTo(ExecutionStatus.FAILED);
        assertThat(WorkerBed.attempts(db, id)).hasSize(1);
        assertThat(receiver.requests()).hasSize(1);
    }

    @Test
    void aTemplateThatCannotBeResolvedFailsAtOnceAndNothingIsSent() {
        var id = rows.live().endpoint("full").input("{'to': 'ada@b.test'}").insert();

        worker.start();
        var execution = WorkerBed.ended(db, id);

        assertThat(execution.status()).isEqualTo(ExecutionStatus.FAILED);
        assertThat(Objects.requireNonNull(execution.error()).path("type").textValue())
                .isEqualTo("TEMPLATE_RESOLUTION_FAILED");
        assertThat(execution.error().path("message").textValue()).contains("input.sum");
        assertThat(execution.attemptCount()).isEqualTo(1);
        assertThat(receiver.requests()).isEmpty();
    }

    @Test
    void aSecretThatTheReceiverEchoesIsNotKept() {
        for (var status : new int[] {200, 400}) {
            receiver.answer(received -> Answer.of(status, "you sent " + received.header("Authorization") + "!"));
            var id = rows.live().endpoint("full").input("{'to': 'x', 'sum': 1}").insert();
            worker.start();
            var execution = WorkerBed.ended(db, id);
            var kept = status == 200 ? execution.output() : execution.error();

            assertThat(String.valueOf(kept))
                    .contains("you sent Bearer [redacted]!")
                    .doesNotContain("s3cr3t");
        }
    }

    @Test
    void anExecutionThatLostTooManyWorkersIsGivenUpWithoutBeingSent() {
        var id = rows.live()
                .endpoint("thrice")
                .leased(UUID.randomUUID(), Duration.ofMillis(-1))
                .attempt(4)
                .rescues(LeaseStore.MAX_RESCUES)
                .insert();

        worker.start();
        var execution = WorkerBed.ended(db, id);

        assertThat(execution.status()).isEqualTo(ExecutionStatus.FAILED);
        assertThat(Objects.requireNonNull(execution.error()).path("type").textValue())
                .isEqualTo("WORKER_LOST");
        assertThat(receiver.requests()).isEmpty();
    }

    @Test
    void anEndpointThatIsGoneFailsTheExecutionPermanently() {
        var id = rows.live().endpoint("thrice").insert();
        db.execute("UPDATE jobs SET endpoint_version = 99 WHERE job_id = $1", id);

        worker.start();

        await(Uni.createFrom()
                .deferred(() -> db.pool().query("SELECT status FROM executions").execute())
                .repeat()
                .withDelay(Duration.ofMillis(5))
                .whilst(found -> found.rowCount() == 0)
                .collect()
                .last());
        assertThat(db.row("SELECT error->>'type' FROM executions").getString(0)).isEqualTo("INVALID_CONFIGURATION");
        assertThat(receiver.requests()).isEmpty();
    }

    @Test
    void aDelayedOneIsDeliveredWhenItsTimeHasComeAndNotBefore() throws Exception {
        var id = rows.live().endpoint("once").dueIn(Duration.ofMillis(300)).insert();

        worker.start();
        var arrived = receiver.awaitCount(1, PATIENCE).getFirst().arrivedAt();

        assertThat(Duration.between(WorkerBed.find(db, id).runAt(), arrived))
                .isBetween(Duration.ofMillis(-1), Duration.ofSeconds(5));
    }

    @Test
    void moreThanThereAreSlotsAreAllDeliveredOnce() throws Exception {
        for (var i = 0; i < 100; i++) {
            rows.live().endpoint("once").input("{'n': " + i + "}").insert();
        }

        worker.start();
        receiver.awaitCount(100, PATIENCE);
        await(worker.stop());

        assertThat(db.number("SELECT count(*) FROM executions WHERE status = 'SUCCESS'"))
                .isEqualTo(100);
        assertThat(receiver.requests())
                .extracting(received -> received.header("Taskexec-Execution-Id"))
                .doesNotHaveDuplicates()
                .hasSize(100);
    }

    @Test
    void afterAnErrorOfOursWhatMustNotBeDeliveredTwiceIsNotTriedAgain() {
        worker = worker(
                new TestConfig(10, 50, Duration.ofMinutes(1), 30), OpenDispatcher.failingAtTheEnd(TestDb.vertx()));
        rows.endpoint("careful")
                .url(receiver.uri("/careful").toString())
                .attempts(3, Duration.ofMillis(20))
                .onWorkerLost(OnWorkerLost.FAIL)
                .insert();
        var id = rows.live().endpoint("careful").insert();

        worker.start();
        var execution = WorkerBed.ended(db, id);

        assertThat(execution.status()).isEqualTo(ExecutionStatus.FAILED);
        assertThat(Objects.requireNonNull(execution.error()).path("type").textValue())
                .isEqualTo("INTERNAL_ERROR");
        assertThat(execution.error().path("message").textValue())
                .isEqualTo("taskexec failed during attempt 1; on_worker_lost is 'fail', so it is not delivered again.");
        assertThat(receiver.requests()).hasSize(1);
    }

    @Test
    void anAttemptThatLostItsLeaseEndsItsCallAndRecordsNothing() throws Exception {
        worker = worker(new TestConfig(10, 50, Duration.ofSeconds(5), 30));
        receiver.answer(Answer.of(200, "never").after(new CompletableFuture<>()));
        var id = rows.live().endpoint("once").insert();
        worker.start();
        receiver.awaitCount(1, PATIENCE);

        // Another worker took it: the token is another one, and the row is not due.
        db.execute(
                "UPDATE exec_live SET lease_token = lease_token + 1, visible_at = now() + interval '1 hour'"
                        + " WHERE execution_id = $1",
                id);
        await(worker.stop());

        assertThat(WorkerBed.find(db, id).status()).isEqualTo(ExecutionStatus.RUNNING);
        assertThat(WorkerBed.find(db, id).attemptCount()).isEqualTo(1);
        assertThat(db.number("SELECT count(*) FROM attempts")).isZero();
    }

    @Test
    void whatRunsIsNamedUntilItIsCancelledWhichEndsItsCall() throws Exception {
        receiver.answer(Answer.of(200, "never").after(new CompletableFuture<>()));
        var id = rows.live().endpoint("once").insert();
        worker.start();
        receiver.awaitCount(1, PATIENCE);

        assertThat(worker.running()).containsExactly(PublicId.EXECUTION.show(id));
        assertThat(worker.isResting()).isFalse();
        worker.cancel(UUID.randomUUID());
        assertThat(worker.running()).hasSize(1);

        worker.cancel(id);
        Eventually.await("the end of the call", PATIENCE, () -> worker.running().isEmpty());
        assertThat(db.number("SELECT count(*) FROM attempts")).as("results").isZero();
    }

    @Test
    void aWorkerRestsOnceAllIsDoneAndLooksWhenAClockHasGoneOn() throws Exception {
        worker = worker(new TestConfig(10, 600_000, Duration.ofMinutes(1), 30));
        worker.start();
        Eventually.await("rest", PATIENCE, worker::isResting);
        var id = rows.live().endpoint("once").dueIn(Duration.ofHours(1)).insert();
        db.execute("UPDATE exec_live SET visible_at = now() WHERE execution_id = $1", id);

        worker.look(EnumSet.allOf(ClockStore.Kind.class));

        assertThat(WorkerBed.ended(db, id).status()).isEqualTo(ExecutionStatus.SUCCESS);
        assertThat(worker.progress()).containsOnlyKeys("claims", "results", "flow_keys", "heartbeat", "leases");
    }
}
