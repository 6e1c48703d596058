package io.taskexec.scheduler;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.PublicId;
import io.taskexec.model.Uuid7;
import io.taskexec.model.job.ExecutionSelection;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.model.job.Failure;
import io.taskexec.model.job.Operation;
import io.taskexec.model.job.OperationAction;
import io.taskexec.model.job.OperationStatus;
import io.taskexec.model.job.ReplayId;
import io.taskexec.store.dependency.DependencyReleases;
import io.taskexec.store.execution.ReplayStore;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.operation.BulkStore;
import io.taskexec.store.operation.OperationStore;
import io.taskexec.store.operation.OperationStore.NewOperation;
import io.taskexec.store.sql.LimitReachedException;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.HeldTransaction;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreTest
class BulkOperationsTest {
    private static final ExecutionSelection FAILED =
            new ExecutionSelection(ExecutionStatus.FAILED, null, null, null, null, null, null, false);
    private static final ExecutionSelection WAITING =
            new ExecutionSelection(null, null, null, null, null, null, null, null);
    private static final int FAST = 10_000;

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static OperationStore store;
    private static BulkStore bulk;

    @BeforeAll
    static void open() {
        store = new OperationStore(db.database());
        bulk = bulkOf("default");
        rows.endpoint(ENDPOINT).insert();
    }

    @BeforeEach
    void clear() {
        var _ = db.execute("DELETE FROM operations");
        var _ = db.execute("DELETE FROM replays");
    }

    private static BulkStore bulkOf(String region) {
        return bulkOf(db, region);
    }

    private static BulkStore bulkOf(TestDb db, String region) {
        var regions = db.region(region);
        return new BulkStore(
                db.database(),
                new DueSignal(),
                regions,
                new ReplayStore(db.database(), new DueSignal(), regions),
                new FlowReleases(db.database(), new DueSignal()),
                new DependencyReleases(db.database(), new DueSignal()));
    }

    private static Operation create(
            OperationAction action, ExecutionSelection selection, int rate, @Nullable Long max) {
        return await(store.create(new NewOperation(Uuid7.next(), action, selection, rate, max, null)));
    }

    private static Operation retry(ExecutionSelection selection) {
        return create(OperationAction.RETRY, selection, FAST, null);
    }

    private static Operation now(Operation operation) {
        Uni<@Nullable Operation> found = store.find(operation.id());
        return Objects.requireNonNull(TestDb.<@Nullable Operation>await(found));
    }

    /** Moves it on until it has ended, whatever its rate. */
    private static Operation finish(Operation operation) {
        var one = operation;
        while (one.status() == OperationStatus.RUNNING) {
            await(bulk.advance(one));
            one = now(one);
        }
        return one;
    }

    private static List<UUID> failed(int count) {
        return IntStream.range(0, count)
                .mapToObj(_ -> rows.finished().status("FAILED").insert())
                .toList();
    }

    private static long waiting() {
        return db.number("SELECT count(*) FROM exec_live");
    }

    @Test
    void whatHasFailedIsRepeatedOnceAndWhatHasNotIsLeftAlone() {
        var dead = failed(3);
        var _ = rows.finished().insert();
        var _ = rows.finished().status("CANCELLED").insert();

        var operation = finish(retry(FAILED));

        assertThat(operation.status()).isEqualTo(OperationStatus.SUCCEEDED);
        assertThat(operation.done()).isEqualTo(3);
        assertThat(operation.skipped()).isZero();
        assertThat(operation.endedAt()).isNotNull();
        assertThat(db.rows("SELECT execution_id FROM exec_live").stream().map(row -> row.getUUID(0)))
                .containsExactlyInAnyOrderElementsOf(
                        dead.stream().map(id -> ReplayId.of(operation.id(), id)).toList());
        assertThat(finish(retry(FAILED)).done()).isZero();
    }

    @Test
    void whatEndsAfterItWasCreatedIsNotRepeated() {
        var operation = retry(FAILED);
        var _ = rows.finished()
                .status("FAILED")
                .endedAgo(Duration.ofSeconds(-1))
                .insert();

        assertThat(finish(operation).done()).isZero();
        assertThat(waiting()).isZero();
    }

    @Test
    void aBatchThatIsDoneAgainFromTheSamePositionChangesNothing() {
        var _ = failed(3);
        var operation = retry(FAILED);

        await(bulk.advance(operation));
        await(bulk.advance(operation));

        assertThat(waiting()).isEqualTo(3);
        assertThat(now(operation).done()).isEqualTo(3);
    }

    @Test
    void manySchedulersAtOnceRepeatEachExecutionOnce() {
        var _ = failed(500);
        var operation = retry(FAILED);
        var schedulers = Stream.generate(() -> new BulkOperations(new OperationStore(db.database()), bulk))
                .limit(4)
                .toList();

        while (now(operation).status() == OperationStatus.RUNNING) {
            var runs = schedulers.stream().map(BulkOperations::runOnce).toList();
            await(Uni.join().all(runs).usingConcurrencyOf(4).andFailFast());
        }

        assertThat(now(operation).done()).isEqualTo(500);
        assertThat(waiting()).isEqualTo(500);
        assertThat(db.number("SELECT count(DISTINCT job_id) FROM exec_live")).isEqualTo(500);
    }

    @Test
    void twoOperationsAtOnceRepeatEachExecutionOnce() {
        var _ = failed(300);
        var one = retry(FAILED);
        var other = retry(FAILED);
        var duty = new BulkOperations(store, bulk);

        while (now(one).status() == OperationStatus.RUNNING || now(other).status() == OperationStatus.RUNNING) {
            await(duty.runOnce());
        }

        assertThat(now(one).done() + now(other).done()).isEqualTo(300);
        assertThat(waiting()).isEqualTo(300);
    }

    @Test
    void itGoesAtItsRate() {
        var _ = failed(50);
        var operation = create(OperationAction.RETRY, FAILED, 100, null);
        var duty = new BulkOperations(store, bulk);

        assertThat(await(duty.runOnce())).isZero();
        assertThat(now(operation).done()).isEqualTo(10);
        db.execute("UPDATE operations SET next_at = now() + interval '4 seconds'");
        assertThat(await(duty.runOnce())).isBetween(Duration.ofMillis(1), Duration.ofSeconds(4));
        assertThat(now(operation).done()).isEqualTo(10);
    }

    @Test
    void aBatchPutsTheNextOneOffByWhatTheRateSays() {
        var _ = failed(50);
        var operation = create(OperationAction.RETRY, FAILED, 100, null);
        var before = db.row("SELECT next_at FROM operations").getOffsetDateTime(0);

        await(bulk.advance(operation));

        assertThat(db.row("SELECT next_at FROM operations").getOffsetDateTime(0))
                .isEqualTo(before.plus(Duration.ofMillis(100)));
    }

    @Test
    void itEndsWhenAsManyAreChangedAsItMay() {
        var _ = failed(30);

        var operation = finish(create(OperationAction.RETRY, FAILED, 100, 25L));

        assertThat(operation.status()).isEqualTo(OperationStatus.SUCCEEDED);
        assertThat(operation.done()).isEqualTo(25);
        assertThat(waiting()).isEqualTo(25);
    }

    @Test
    void nothingIsDoneOnceItIsCancelled() {
        var _ = failed(30);
        var operation = create(OperationAction.RETRY, FAILED, 100, null);
        await(bulk.advance(operation));
        var half = now(operation);

        assertThat(await(store.cancel(operation.id()))).isTrue();
        assertThat(await(store.cancel(operation.id()))).isFalse();
        await(bulk.advance(half));

        assertThat(now(operation).status()).isEqualTo(OperationStatus.CANCELLED);
        assertThat(waiting()).isEqualTo(10);
    }

    @Test
    void aRareConditionIsLookedForOverManyBatches() {
        var dead = failed(450);
        var tagged = dead.getLast();
        db.execute("INSERT INTO job_tags VALUES ('rare', $1)", tagged);
        var wanted = new ExecutionSelection(ExecutionStatus.FAILED, null, null, null, "rare", null, null, false);
        var operation = create(OperationAction.RETRY, wanted, 100, null);

        await(bulk.advance(operation));
        assertThat(now(operation).done()).isZero();
        assertThat(now(operation).status()).isEqualTo(OperationStatus.RUNNING);

        assertThat(finish(now(operation)).done()).isEqualTo(1);
        assertThat(db.row("SELECT job_id FROM exec_live").getUUID(0)).isEqualTo(tagged);
    }

    @Test
    void eachConditionNarrowsItDown() {
        var dead = failed(3);
        db.execute("UPDATE executions SET error = '{\"type\": \"TIMEOUT\"}' WHERE execution_id = $1", dead.get(1));
        var timeouts = new ExecutionSelection(
                ExecutionStatus.FAILED, Failure.Type.TIMEOUT, ENDPOINT, "default", null, null, null, false);

        assertThat(finish(retry(timeouts)).done()).isEqualTo(1);
        assertThat(db.row("SELECT job_id FROM exec_live").getUUID(0)).isEqualTo(dead.get(1));
    }

    @Test
    void whatWasRepeatedByHandIsLeftOutUnlessItIsAskedFor() {
        var dead = failed(2);
        var byHand = Uuid7.next();
        assertThat(await(new ReplayStore(db.database(), new DueSignal(), db.region("default"))
                        .replay(dead.getFirst(), byHand)))
                .isTrue();
        var again = new ExecutionSelection(ExecutionStatus.FAILED, null, null, null, null, null, null, true);

        assertThat(finish(retry(FAILED)).done()).isEqualTo(1);
        assertThat(finish(retry(again)).done()).isEqualTo(2);
        assertThat(waiting()).isEqualTo(4);
    }

    @Test
    void whatARegionRepeatsIsItsOwn() {
        var _ = failed(2);
        await(db.region("default").refresh());
        var operation = retry(FAILED);

        await(bulkOf("other").advance(operation));

        assertThat(now(operation).done()).isEqualTo(2);
        assertThat(db.number("SELECT count(*) FROM exec_live WHERE region = 'other' AND lane = 8 + 4"))
                .isEqualTo(2);
    }

    @Test
    void whatCannotBeRepeatedIsSkipped() {
        var dead = failed(2);
        db.execute("UPDATE jobs SET endpoint = 'gone' WHERE job_id = $1", dead.getFirst());

        var operation = finish(retry(FAILED));

        assertThat(operation.done()).isEqualTo(1);
        assertThat(operation.skipped()).isEqualTo(1);
    }

    @Test
    void whatWaitsIsCancelledAndWhatRunsIsNot() {
        var later = rows.live().dueIn(Duration.ofHours(1)).insert();
        var due = rows.live().insert();
        var running = rows.live()
                .leased(rows.worker(Duration.ZERO), Duration.ofMinutes(1))
                .insert();
        db.execute("UPDATE exec_live SET created_at = now() - interval '1 second'");

        var operation = finish(create(OperationAction.CANCEL, WAITING, FAST, null));

        assertThat(operation.done()).isEqualTo(2);
        assertThat(operation.skipped()).isEqualTo(1);
        assertThat(db.rows("SELECT execution_id FROM executions WHERE status = 'CANCELLED'").stream()
                        .map(row -> row.getUUID(0)))
                .containsExactlyInAnyOrder(later, due);
        assertThat(db.row("SELECT execution_id FROM exec_live").getUUID(0)).isEqualTo(running);
    }

    @Test
    void whatAnApplicationKeepsLockedDelaysNoOtherAndIsCancelledWhenItDoesNot() throws InterruptedException {
        try (var hasty = TestDb.withoutPatience()) {
            var many = new Rows(hasty);
            many.endpoint(ENDPOINT).insert();
            var ids = IntStream.range(0, 50)
                    .mapToObj(_ -> many.live().dueIn(Duration.ofHours(1)).insert())
                    .sorted()
                    .toList();
            hasty.execute("UPDATE exec_live SET created_at = now() - interval '1 second'");
            var operations = new OperationStore(hasty.database());
            var duty = new BulkOperations(operations, bulkOf(hasty, "default"));
            var _ = await(operations.create(
                    new NewOperation(Uuid7.next(), OperationAction.CANCEL, WAITING, 100, null, null)));

            try (var application = HeldTransaction.on(hasty)) {
                assertThat(application.run("SELECT taskexec_api.cancel_job($1)", PublicId.JOB.show(ids.get(3))))
                        .isEqualTo(1);
                assertThat(application.run("SELECT taskexec_api.cancel_job($1)", PublicId.JOB.show(ids.get(30))))
                        .isEqualTo(1);
                Eventually.await("the others are cancelled", TestDb.PATIENCE, () -> {
                    await(duty.runOnce());
                    return hasty.number("SELECT done FROM operations") == 48;
                });
                assertThat(hasty.number("SELECT failures FROM operations")).isZero();
                await(duty.runOnce());
            }

            Eventually.await("it ends", TestDb.PATIENCE, () -> {
                await(duty.runOnce());
                return hasty.number("SELECT count(*) FROM operations WHERE status = 'SUCCEEDED'") == 1;
            });
            assertThat(hasty.number("SELECT done FROM operations")).isEqualTo(50);
            assertThat(hasty.number("SELECT skipped FROM operations")).isZero();
            assertThat(hasty.number("SELECT count(*) FROM executions WHERE status = 'CANCELLED'"))
                    .isEqualTo(50);
        }
    }

    @Test
    void aBatchThatHasPassedSomethingOverIsNotDoneAgainByAnotherProcess() {
        try (var hasty = TestDb.withoutPatience()) {
            var many = new Rows(hasty);
            many.endpoint(ENDPOINT).insert();
            var ids = IntStream.range(0, 20)
                    .mapToObj(_ -> many.live().dueIn(Duration.ofHours(1)).insert())
                    .sorted()
                    .toList();
            hasty.execute("UPDATE exec_live SET created_at = now() - interval '1 second'");
            var operation = await(new OperationStore(hasty.database())
                    .create(new NewOperation(Uuid7.next(), OperationAction.CANCEL, WAITING, 100, 5L, null)));

            try (var application = HeldTransaction.on(hasty)) {
                assertThat(application.run("SELECT taskexec_api.cancel_job($1)", PublicId.JOB.show(ids.get(3))))
                        .isEqualTo(1);
                await(bulkOf(hasty, "default").advance(operation));
                await(bulkOf(hasty, "default").advance(operation));
            }

            assertThat(hasty.number("SELECT done FROM operations")).isEqualTo(4);
            assertThat(hasty.number("SELECT count(*) FROM exec_live")).isEqualTo(16);
        }
    }

    @Test
    void itIsGivenUpAfterTenBatchesThatFailedInARow() {
        var operation = retry(FAILED);

        for (var i = 0; i < 9; i++) {
            await(store.failed(operation));
        }
        assertThat(now(operation).status()).isEqualTo(OperationStatus.RUNNING);
        await(store.failed(operation));

        assertThat(now(operation).status()).isEqualTo(OperationStatus.FAILED);
        assertThat(now(operation).endedAt()).isNotNull();
    }

    @Test
    void aBatchThatFailsPutsItsOperationOffAndNotTheOthers() {
        var _ = failed(1);
        var broken = retry(FAILED);
        db.execute("UPDATE operations SET rate_per_sec = 0");
        var sound = retry(FAILED);

        await(new BulkOperations(store, bulk).runOnce());

        assertThat(db.number("SELECT failures FROM operations WHERE operation_id = $1", broken.id()))
                .isEqualTo(1);
        assertThat(now(sound).status()).isEqualTo(OperationStatus.SUCCEEDED);
        assertThat(waiting()).isEqualTo(1);
    }

    @Test
    void anOperationThatCannotBeReadIsGivenUpAndTheOthersGoOn() {
        var _ = failed(1);
        var action = retry(FAILED);
        db.execute("UPDATE operations SET action = 'DANCE' WHERE operation_id = $1", action.id());
        var selection = retry(FAILED);
        db.execute(
                "UPDATE operations SET selection = '{\"status\": \"LOST\"}' WHERE operation_id = $1", selection.id());
        var sound = retry(FAILED);

        await(new BulkOperations(store, bulk).runOnce());

        assertThat(db
                        .rows("SELECT operation_id FROM operations WHERE status = 'FAILED' AND ended_at IS"
                                + " NOT NULL")
                        .stream()
                        .map(row -> row.getUUID(0)))
                .containsExactlyInAnyOrder(action.id(), selection.id());
        assertThat(now(sound).status()).isEqualTo(OperationStatus.SUCCEEDED);
        assertThat(waiting()).isEqualTo(1);
    }

    @Test
    void noMoreThanTwentyRunAtOnce() {
        for (var i = 0; i < 20; i++) {
            var _ = retry(FAILED);
        }
        assertThatThrownBy(() -> retry(FAILED)).isInstanceOf(LimitReachedException.class);
        db.execute("UPDATE operations SET status = 'CANCELLED', ended_at = now()");
        assertThat(retry(FAILED).status()).isEqualTo(OperationStatus.RUNNING);
    }
}
