package io.taskexec.scheduler;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.taskexec.model.delivery.Claim;
import io.taskexec.store.execution.LeaseStore;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.store.worker.WorkerStore;
import io.taskexec.testing.RecordedLog;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

@StoreTest
class DeadWorkersTest {
    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static LeaseStore leases;
    private static DeadWorkers duty;

    @BeforeAll
    static void open() {
        leases = Stores.leases(db.database());
        duty = duty(Duration.ZERO);
        rows.endpoint(ENDPOINT).insert();
    }

    private static DeadWorkers duty(Duration watched) {
        return duty(watched, System::nanoTime);
    }

    private static DeadWorkers duty(Duration watched, LongSupplier nanoTime) {
        return new DeadWorkers(new WorkerStore(db.database(), new DueSignal()), new TestConfig(30), watched, nanoTime);
    }

    /** As after an outage of the database that this process knows nothing of. */
    @Test
    void aProcessThatHasJustStartedTakesNobodyForDead() {
        var silent = rows.worker(Duration.ofSeconds(16));
        rows.live().leased(silent, Duration.ofSeconds(55)).insert();
        var started = duty(Duration.ofMinutes(1));

        await(started.runOnce());
        await(started.runOnce());

        assertThat(db.number("SELECT count(*) FROM workers")).isEqualTo(1);
        assertThat(db.number("SELECT count(*) FROM exec_live WHERE visible_at <= now()"))
                .isZero();
    }

    /** What made it fail may have kept heartbeats from being written. */
    @Test
    void aProcessThatCouldNotFreeTheWorkOfAWorkerWatchesOnceMore() {
        var _ = rows.worker(Duration.ofSeconds(16));
        var watching = duty(Duration.ofNanos(1));
        await(watching.runOnce());
        db.execute("ALTER TABLE exec_live RENAME COLUMN lease_token TO other");
        try {
            assertThatThrownBy(() -> await(watching.runOnce())).hasMessageContaining("lease_token");
        } finally {
            db.execute("ALTER TABLE exec_live RENAME COLUMN other TO lease_token");
        }

        await(watching.runOnce());
        assertThat(db.number("SELECT count(*) FROM workers")).isEqualTo(1);

        await(watching.runOnce());
        assertThat(db.number("SELECT count(*) FROM workers")).isZero();
    }

    /** All workers look silent, until they are heard of by the new time. */
    @Test
    void afterAStepOfTheDatabasesClockAProcessWatchesOnceMore() {
        var own = new AtomicLong();
        var watching = duty(Duration.ofSeconds(12), own::get);
        await(watching.runOnce());
        own.addAndGet(Duration.ofSeconds(100).toNanos());
        await(watching.runOnce());
        var _ = rows.worker(Duration.ofSeconds(16));
        // It goes by how much both clocks have gone on.
        own.addAndGet(-Duration.ofSeconds(20).toNanos());
        try (var log = RecordedLog.of(DeadWorkers.class)) {
            await(watching.runOnce());
            assertThat(log.messages())
                    .singleElement()
                    .asString()
                    // And by what this test has taken since the look before.
                    .matches("the database's clock has gone ahead by [2-4]\\d{4} ms.*");
        }
        own.addAndGet(Duration.ofSeconds(11).toNanos());
        await(watching.runOnce());
        assertThat(db.number("SELECT count(*) FROM workers")).isEqualTo(1);

        own.addAndGet(Duration.ofSeconds(1).toNanos());
        await(watching.runOnce());
        assertThat(db.number("SELECT count(*) FROM workers")).isZero();
    }

    /** Due work waits until the clock is where it was. */
    @Test
    void aStepBackOfTheDatabasesClockIsToldOnceAndASlowAnswerIsNone() {
        var own = new AtomicLong();
        var slowBy = new AtomicLong();
        // Of two times that are asked for, the second one is that of the answer.
        var asked = new AtomicLong();
        var watching = duty(
                Duration.ofSeconds(12),
                () -> asked.getAndIncrement() % 2 == 0 ? own.get() : own.addAndGet(slowBy.get()));
        await(watching.runOnce());
        try (var log = RecordedLog.of(DeadWorkers.class)) {
            slowBy.set(Duration.ofSeconds(10).toNanos());
            await(watching.runOnce());
            slowBy.set(0);
            await(watching.runOnce());
            assertThat(log.messages()).isEmpty();

            own.addAndGet(Duration.ofSeconds(100).toNanos());
            await(watching.runOnce());
            await(watching.runOnce());
            assertThat(log.messages())
                    .singleElement()
                    .asString()
                    // Less what this test has taken.
                    .matches("the database's clock has gone back by ([89]\\d|100)\\d{3} ms: all that was due .*");
        }
    }

    @Test
    void theWorkOfASilentWorkerGoesToTheNextClaimerAtOnceAndThatOfOthersDoesNot() {
        var silent = rows.worker(Duration.ofSeconds(16));
        var living = rows.worker(Duration.ofSeconds(5));
        var lost = rows.live().leased(silent, Duration.ofSeconds(55)).insert();
        rows.live().leased(living, Duration.ofSeconds(55)).insert();

        assertThat(await(duty.runOnce())).isEqualTo(Duration.ofSeconds(5));

        var claims = await(leases.claim(new Integer[] {4}, 10, Duration.ofSeconds(60), UUID.randomUUID()));
        assertThat(claims).extracting(Claim::executionId).containsExactly(lost);
        assertThat(claims.getFirst().attempt()).isEqualTo(2);
        assertThat(db.row("SELECT status FROM attempts WHERE execution_id = $1", lost)
                        .getString(0))
                .isEqualTo("LOST");
    }

    @Test
    void thereIsNothingToDoWhileAllAreAlive() {
        var living = rows.worker(Duration.ofSeconds(1));
        rows.live().leased(living, Duration.ofSeconds(55)).insert();

        assertThat(await(duty.runOnce())).isEqualTo(Duration.ofSeconds(5));

        assertThat(db.number("SELECT count(*) FROM workers")).isEqualTo(1);
        assertThat(db.number("SELECT count(*) FROM exec_live WHERE visible_at <= now()"))
                .isZero();
    }
}
