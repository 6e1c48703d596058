package io.taskexec.lease;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.model.job.Failure;
import io.taskexec.testing.HeldTransaction;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests workers that extend leases that they have lost beside those that they got then, or report an end twice. */
@StoreTest
class LeaseActionsTest {
    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    @BeforeAll
    static void makeEndpoint() {
        LeaseProcess.makeEndpoint(db, rows);
        db.execute("""
                UPDATE endpoint_versions SET completion = '{"modes": ["callback"], "timeout": "PT1H", "always": false}'
                """);
    }

    @BeforeEach
    void clear() {
        rows.clearJobs();
    }

    private static String lease(LeaseProcess process) {
        return process.lease().token().toText();
    }

    /** The lease that is lost, and the one that is held. */
    private static List<String> leases(LeaseProcess before, LeaseProcess after) {
        var id = LeaseProcess.due(rows, 4);
        var lost = lease(before);
        db.execute("UPDATE exec_live SET visible_at = now() WHERE execution_id = $1", id);
        return List.of(lost, lease(after));
    }

    private static List<LeaseResult> extend(LeaseProcess process, List<String> leases) {
        var items = leases.stream().map(lease -> new LeaseItem.Extend(lease, null));
        return await(process.actions.extend(
                new LeaseItem.Extension(Duration.ofMinutes(5), items.toList()), LeaseProcess.ENDPOINT::equals));
    }

    private static void check(List<LeaseResult> lostAndHeld) {
        assertThat(lostAndHeld.getFirst()).isEqualTo(LeaseResult.lost(null));
        assertThat(lostAndHeld.getLast()).isInstanceOf(LeaseResult.Extended.class);
    }

    @Test
    void theProcessThatHasHandedOutTheLostOneExtendsTheOther() {
        try (var before = new LeaseProcess(db);
                var after = new LeaseProcess(db)) {
            var leases = leases(before, after);

            check(extend(before, leases));
            check(extend(before, leases.reversed()).reversed());
        }
    }

    @Test
    void aProcessThatKnowsNeitherExtendsTheOneThatIsHeld() {
        try (var before = new LeaseProcess(db);
                var after = new LeaseProcess(db);
                var other = new LeaseProcess(db)) {
            var all = IntStream.range(0, 8).mapToObj(_ -> leases(before, after)).toList();

            var results = extend(other, all.stream().flatMap(List::stream).toList());

            for (var i = 0; i < all.size(); i++) {
                check(results.subList(2 * i, 2 * i + 2));
            }
        }
    }

    @Test
    void anEndThatIsReportedAgainBeforeTheAnswerIsAnsweredWithThatEnd() throws InterruptedException {
        try (var process = new LeaseProcess(db);
                var other = HeldTransaction.on(db)) {
            var id = LeaseProcess.due(rows, 4);
            var items = List.of(new LeaseItem.Complete(lease(process), Rows.json("{}")));
            var _ = other.run("SELECT 1 FROM exec_live WHERE execution_id = $1 FOR UPDATE", id);

            var first = other.blocks(process.actions.complete(items, LeaseProcess.ENDPOINT::equals));
            var second = process.actions
                    .complete(items, LeaseProcess.ENDPOINT::equals)
                    .subscribeAsCompletionStage();
            other.commit();

            for (var answer : List.of(first, second)) {
                assertThat(answer)
                        .succeedsWithin(TestDb.PATIENCE)
                        .isEqualTo(List.of(new LeaseResult.Ended(ExecutionStatus.SUCCESS)));
            }
        }
    }

    private static LeaseResult complete(LeaseProcess process, String lease, String output) {
        var item = new LeaseItem.Complete(lease, Rows.json(output));
        return await(process.actions.complete(List.of(item), LeaseProcess.ENDPOINT::equals))
                .getFirst();
    }

    private static LeaseResult fail(LeaseProcess process, String lease, String message, boolean permanent) {
        var failure = new Failure(Failure.Type.RECEIVER_FAILED, message);
        var item = new LeaseItem.Fail(lease, failure, permanent, Duration.ofHours(1));
        return await(process.actions.fail(List.of(item), LeaseProcess.ENDPOINT::equals))
                .getFirst();
    }

    private static LeaseResult defer(LeaseProcess process, String lease) {
        var item = new LeaseItem.Defer(lease, null);
        return await(process.actions.defer(List.of(item), LeaseProcess.ENDPOINT::equals))
                .getFirst();
    }

    /** As when the answer of the database was lost: the first process does not know of the end. */
    private static void isAnsweredAsBefore(BiFunction<LeaseProcess, String, LeaseResult> end, LeaseResult expected) {
        try (var process = new LeaseProcess(db);
                var other = new LeaseProcess(db)) {
            var _ = LeaseProcess.due(rows, 4);
            var lease = lease(process);

            assertThat(end.apply(other, lease)).isEqualTo(expected);
            assertThat(end.apply(process, lease)).isEqualTo(expected);
            assertThat(end.apply(process, lease)).isEqualTo(expected);
        }
        rows.clearJobs();
    }

    @Test
    void anEndWhoseRecordTheProcessDoesNotKnowIsAnsweredByTheRecord() {
        isAnsweredAsBefore(
                (process, lease) -> complete(process, lease, "{'json': {'n': 1.50, 'x': 10000000000}}"),
                new LeaseResult.Ended(ExecutionStatus.SUCCESS));
        isAnsweredAsBefore(
                (process, lease) -> fail(process, lease, "no room", false),
                new LeaseResult.Ended(ExecutionStatus.RETRYING));
        isAnsweredAsBefore(
                (process, lease) -> fail(process, lease, "never", true), new LeaseResult.Ended(ExecutionStatus.FAILED));
    }

    @Test
    void aRecordOfAnotherResultOrAttemptIsNotThatOfALostLease() {
        try (var process = new LeaseProcess(db);
                var other = new LeaseProcess(db)) {
            var _ = LeaseProcess.due(rows, 4);
            var ended = lease(process);
            assertThat(complete(other, ended, "{'n': 1}")).isInstanceOf(LeaseResult.Ended.class);
            assertThat(complete(process, ended, "{'n': 2}")).isEqualTo(LeaseResult.lost(null));

            var succeeded = leases(process, other);
            assertThat(complete(other, succeeded.getLast(), "{}")).isInstanceOf(LeaseResult.Ended.class);
            assertThat(complete(process, succeeded.getFirst(), "{}")).isEqualTo(LeaseResult.lost(null));

            for (var permanent : List.of(false, true)) {
                var failed = leases(process, other);
                assertThat(fail(other, failed.getLast(), "no room", permanent)).isInstanceOf(LeaseResult.Ended.class);
                assertThat(fail(process, failed.getFirst(), "no room", permanent))
                        .isEqualTo(LeaseResult.lost(null));
            }
        }
    }

    @Test
    void aRecordOfAnotherWorkerIsNotThatOfALostLease() {
        try (var process = new LeaseProcess(db);
                var other = new LeaseProcess(db)) {
            var id = LeaseProcess.due(rows, 4);
            var lost = lease(process);
            // As after a hand-back, which takes the attempt back.
            db.execute(
                    "UPDATE exec_live SET attempt = 0, lease_token = NULL, visible_at = now() WHERE execution_id = $1",
                    id);
            var held = lease(other);
            db.execute("UPDATE exec_live SET worker_id = gen_random_uuid() WHERE execution_id = $1", id);
            assertThat(complete(other, held, "{}")).isInstanceOf(LeaseResult.Ended.class);

            assertThat(complete(process, lost, "{}")).isEqualTo(LeaseResult.lost(null));
        }
    }

    @Test
    void aDeferralThatIsReportedAgainIsAnsweredWithTheSameAddressAsLongAsItIsOfThatAttempt() {
        try (var process = new LeaseProcess(db);
                var other = new LeaseProcess(db)) {
            var _ = LeaseProcess.due(rows, 4);
            var lease = lease(process);

            var first = defer(other, lease);
            assertThat(first).isInstanceOf(LeaseResult.Deferred.class);
            for (var again : List.of(process, process, other)) {
                assertThat(defer(again, lease)).isEqualTo(first);
                assertThat(complete(again, lease, "{}")).isEqualTo(LeaseResult.lost(null));
            }

            var leases = leases(process, other);
            assertThat(defer(other, leases.getLast())).isInstanceOf(LeaseResult.Deferred.class);
            assertThat(defer(process, leases.getFirst())).isEqualTo(LeaseResult.lost(null));
        }
    }

    @Test
    void deferralsAtOnceAreAllAnsweredWithTheAddress() {
        try (var process = new LeaseProcess(db)) {
            var _ = LeaseProcess.due(rows, 4);
            var item = new LeaseItem.Defer(lease(process), null);

            var results = await(process.actions.defer(List.of(item, item), LeaseProcess.ENDPOINT::equals));

            assertThat(results).hasSize(2).allMatch(LeaseResult.Deferred.class::isInstance);
            assertThat(results.getFirst()).isEqualTo(results.getLast());
        }
    }

    @Test
    void whoMayNotWorkForTheEndpointIsRefusedTheSameBeforeAndAfterTheEndOfALease() {
        try (var process = new LeaseProcess(db)) {
            var _ = LeaseProcess.due(rows, 4);
            var lease = lease(process);

            var before = refusals(process, lease);
            assertThat(complete(process, lease, "{}")).isInstanceOf(LeaseResult.Ended.class);

            assertThat(before)
                    .allSatisfy(result -> assertThat(result)
                            .isInstanceOfSatisfying(
                                    LeaseResult.Refused.class,
                                    refused -> assertThat(refused.code()).isEqualTo(LeaseResult.Code.FORBIDDEN)));
            assertThat(refusals(process, lease)).isEqualTo(before);
            assertThat(complete(process, lease, "{}")).isEqualTo(new LeaseResult.Ended(ExecutionStatus.SUCCESS));
        }
    }

    /** The answers to one who may work for other endpoints alone. */
    private static List<LeaseResult> refusals(LeaseProcess process, String lease) {
        var actions = process.actions;
        var extension = new LeaseItem.Extension(Duration.ofMinutes(5), List.of(new LeaseItem.Extend(lease, null)));
        return List.of(
                await(actions.complete(List.of(new LeaseItem.Complete(lease, Rows.json("{}"))), "other"::equals))
                        .getFirst(),
                await(actions.defer(List.of(new LeaseItem.Defer(lease, null)), "other"::equals))
                        .getFirst(),
                await(actions.release(List.of(new LeaseItem.Release(lease)), "other"::equals))
                        .getFirst(),
                await(actions.extend(extension, "other"::equals)).getFirst());
    }
}
