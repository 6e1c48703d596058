package io.taskexec.lease;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.testing.HeldTransaction;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests a worker that extends a lease that it has lost beside the one that it got then, or reports an end twice. */
@StoreTest
class LeaseActionsTest {
    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    @BeforeAll
    static void makeEndpoint() {
        LeaseProcess.makeEndpoint(db, rows);
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
}
