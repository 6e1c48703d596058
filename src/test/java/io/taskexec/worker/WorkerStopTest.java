package io.taskexec.worker;

import static io.taskexec.testing.TestDb.PATIENCE;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.dispatch.OpenDispatcher;
import io.taskexec.loop.LoopTimer;
import io.taskexec.model.job.Attempt;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.resolve.RealResolver;
import io.taskexec.secret.KeyRing;
import io.taskexec.secret.SecretCipher;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.HeldTransaction;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The end of a worker, and what becomes of the executions that it has. */
@StoreTest
class WorkerStopTest {
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
        var resolver = RealResolver.on(db.database(), CIPHER);
        return WorkerBed.delivering(db, OpenDispatcher.on(TestDb.vertx()), resolver, config, dueSignal, timer);
    }

    @Test
    void stoppingLetsWhatRunsEnd() throws Exception {
        var release = new CompletableFuture<Void>();
        receiver.answer(Answer.of(200, "late").after(release));
        var id = rows.live().endpoint("once").insert();
        worker.start();
        receiver.awaitCount(1, PATIENCE);

        var stopped = worker.stop().subscribeAsCompletionStage();
        assertThat(stopped).isNotDone();
        release.complete(null);

        assertThat(stopped).succeedsWithin(PATIENCE);
        assertThat(WorkerBed.find(db, id).status()).isEqualTo(ExecutionStatus.SUCCESS);
        assertThat(db.number("SELECT count(*) FROM workers")).isZero();
    }

    @Test
    void whatHasNotBegunIsHandedBackAtOnceWhileTheRestMayEnd() throws Exception {
        var slots = 10;
        var jobs = 800;
        for (var i = 0; i < jobs; i++) {
            rows.live().endpoint("once").insert();
        }
        var leased = "SELECT count(*) FROM exec_live WHERE lease_token IS NOT NULL";
        var claimed = "SELECT (%s) + (SELECT count(*) FROM executions)".formatted(leased);
        var releases = Stream.generate(CompletableFuture<Void>::new)
                .limit(jobs / slots)
                .toList();
        var calls = new AtomicInteger();
        receiver.answer(_ -> Answer.of(200, "").after(releases.get(calls.getAndIncrement() / slots)));
        worker.start();
        receiver.awaitCount(slots, PATIENCE);
        var begun = slots;
        // Calls that end together are quick, so that more is claimed than there are slots.
        while (db.number(claimed) == begun && begun < jobs) {
            releases.get(begun / slots - 1).complete(null);
            begun += slots;
            receiver.awaitCount(begun, PATIENCE);
        }
        assertThat(db.number(claimed)).as("executions claimed").isGreaterThan(begun);

        var stopped = worker.stop().subscribeAsCompletionStage();
        Eventually.await("only what runs is leased", Duration.ofSeconds(10), () -> db.number(leased) == slots);
        assertThat(stopped).isNotDone();
        assertThat(db.number("SELECT count(*) FROM exec_live WHERE visible_at <= now() AND attempt = 0"))
                .isEqualTo(jobs - begun);
        releases.get(begun / slots - 1).complete(null);

        assertThat(stopped).succeedsWithin(PATIENCE);
        assertThat(receiver.requests()).hasSize(begun);
        assertThat(db.number("SELECT count(*) FROM executions")).isEqualTo(begun);
    }

    @Test
    void whatDoesNotEndInTimeIsInterruptedAndVisibleToOthersAtOnce() throws Exception {
        worker = worker(new TestConfig(10, 50, Duration.ofMinutes(1), 0));
        receiver.answer(Answer.of(200, "never").after(new CompletableFuture<>()));
        var id = rows.live().endpoint("once").insert();
        worker.start();
        receiver.awaitCount(1, PATIENCE);

        await(worker.stop());

        assertThat(WorkerBed.attempts(db, id)).extracting(Attempt::status).containsExactly(Attempt.Status.INTERRUPTED);
        assertThat(db.number("SELECT count(*) FROM exec_live WHERE visible_at <= now() AND lease_token IS NULL AND"
                        + " failures = 0"))
                .isEqualTo(1);
        receiver.answer(Answer.of(200, "now"));
        var other = worker(new TestConfig(10, 50, Duration.ofMinutes(1), 30));
        other.start();
        assertThat(WorkerBed.ended(db, id).status()).isEqualTo(ExecutionStatus.SUCCESS);
        assertThat(WorkerBed.ended(db, id).attemptCount()).isEqualTo(2);
        await(other.stop());
    }

    @Test
    void aWorkerThatCannotWriteItsLastResultsIsLeftToBeFoundSilent() throws Exception {
        worker = worker(new TestConfig(10, 50, Duration.ofMinutes(1), 0));
        receiver.answer(Answer.of(200, "never").after(new CompletableFuture<>()));
        var id = rows.live().endpoint("once").insert();
        worker.start();
        receiver.awaitCount(1, PATIENCE);
        var workers = "SELECT count(*) FROM workers";
        Eventually.await("its heartbeat", PATIENCE, () -> db.number(workers) == 1);

        try (var other = HeldTransaction.on(db)) {
            var _ = other.run("SELECT execution_id FROM exec_live WHERE execution_id = $1 FOR UPDATE", id);
            await(worker.stop());
            assertThat(db.number(workers)).isEqualTo(1);
        }
        db.execute("DELETE FROM workers");
    }

    @Test
    void aStoppedWorkerClaimsNothingMore() {
        worker.start();
        await(worker.stop());
        var id = rows.live().endpoint("once").insert();

        // So many looks take longer than a claim.
        for (var i = 0; i < 100; i++) {
            worker.wake();
            assertThat(WorkerBed.find(db, id).status()).isEqualTo(ExecutionStatus.QUEUED);
        }
        assertThat(receiver.requests()).isEmpty();
    }
}
