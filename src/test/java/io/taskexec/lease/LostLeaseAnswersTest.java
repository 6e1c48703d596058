package io.taskexec.lease;

import static io.taskexec.lease.LeaseProcess.ENDPOINT;
import static io.taskexec.testing.TestDb.PATIENCE;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.model.job.Failure;
import io.taskexec.model.lease.CancelReason;
import io.taskexec.store.sql.Lanes;
import io.taskexec.testing.ConnectionGate;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Ends of leases that are in the database, though the answer that says so was lost. */
@StoreTest
class LostLeaseAnswersTest {
    private static final String BRIEF = "brief";
    private static final int BRIEF_QUEUE = LeaseProcess.QUEUE + 1;

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private ConnectionGate gate;
    private LeaseProcess process;

    @BeforeAll
    static void makeEndpoints() {
        LeaseProcess.makeEndpoint(db, rows);
        LeaseProcess.makeEndpoint(db, rows, BRIEF_QUEUE, BRIEF);
        db.execute("""
                UPDATE endpoint_versions SET completion = '{"modes": ["callback"], "timeout": "PT1H", "always": false}'
                """);
        db.execute("UPDATE endpoint_versions SET spec = '{\"timeout_ms\": 1}' WHERE name = '%s'".formatted(BRIEF));
    }

    @BeforeEach
    void open() {
        rows.clearJobs();
        gate = db.gate();
        process = new LeaseProcess(db, db.poolOver(gate));
    }

    @AfterEach
    void close() {
        process.close();
        gate.close();
    }

    private String leased() {
        var _ = LeaseProcess.due(rows, 4);
        return process.lease().token().toText();
    }

    private static LeaseResult first(Uni<List<LeaseResult>> results) {
        return await(results).getFirst();
    }

    private LeaseResult complete(String lease) {
        var items = List.of(new LeaseItem.Complete(lease, Rows.json("{}")));
        return first(process.actions.complete(items, ENDPOINT::equals));
    }

    private LeaseResult fail(String lease, boolean permanent) {
        var failure = new Failure(Failure.Type.RECEIVER_FAILED, "no room");
        var items = List.of(new LeaseItem.Fail(lease, failure, permanent, Duration.ofHours(1)));
        return first(process.actions.fail(items, ENDPOINT::equals));
    }

    private LeaseResult defer(String lease) {
        return first(process.actions.defer(List.of(new LeaseItem.Defer(lease, null)), ENDPOINT::equals));
    }

    private static LeaseResult release(LeaseProcess by, String lease) {
        return first(by.actions.release(List.of(new LeaseItem.Release(lease)), ENDPOINT::equals));
    }

    /** Ends a lease and loses the answer, and says the same again. */
    private LeaseResult endedOnce(String counted, Function<String, LeaseResult> end) {
        var lease = leased();
        var before = process.ended(counted);
        gate.lose("SELECT 1");

        var result = end.apply(lease);

        assertThat(gate.hasLost()).isTrue();
        assertThat(end.apply(lease)).isEqualTo(result);
        assertThat(process.ended(counted)).isEqualTo(before + 1);
        assertThat(process.ended("lost")).isZero();
        return result;
    }

    @Test
    void aSuccessIsCountedOnce() {
        assertThat(endedOnce("completed", this::complete)).isEqualTo(new LeaseResult.Ended(ExecutionStatus.SUCCESS));

        assertThat(process.executions("success")).isEqualTo(1);
    }

    @Test
    void aFailureIsCountedOnceAndAsTheEndOfTheExecutionIfItIsThat() {
        assertThat(endedOnce("failed", lease -> fail(lease, false)))
                .isEqualTo(new LeaseResult.Ended(ExecutionStatus.RETRYING));
        assertThat(process.executions("failed")).isZero();

        assertThat(endedOnce("failed", lease -> fail(lease, true)))
                .isEqualTo(new LeaseResult.Ended(ExecutionStatus.FAILED));
        assertThat(process.executions("failed")).isEqualTo(1);
    }

    @Test
    void aDeferralIsCountedOnce() {
        assertThat(endedOnce("deferred", this::defer)).isInstanceOf(LeaseResult.Deferred.class);
    }

    @Test
    void aReleaseHasBeenDoneAndIsCountedOnce() {
        assertThat(endedOnce("released", lease -> release(process, lease)))
                .isEqualTo(new LeaseResult.Ended(ExecutionStatus.RETRYING));

        assertThat(db.number("SELECT count(*) FROM exec_live WHERE lease_token IS NULL AND failures = 0"))
                .isEqualTo(1);
    }

    @Test
    void anEndThatAnotherProcessHasCountedIsNotCountedAgain() {
        var completed = leased();
        try (var other = new LeaseProcess(db)) {
            var items = List.of(new LeaseItem.Complete(completed, Rows.json("{}")));
            assertThat(first(other.actions.complete(items, ENDPOINT::equals))).isInstanceOf(LeaseResult.Ended.class);
            var released = leased();
            assertThat(release(other, released)).isInstanceOf(LeaseResult.Ended.class);

            assertThat(complete(completed)).isEqualTo(new LeaseResult.Ended(ExecutionStatus.SUCCESS));
            assertThat(release(process, released)).isEqualTo(LeaseResult.lost(null));
        }

        assertThat(process.ended("completed") + process.ended("released")).isZero();
        assertThat(process.executions("success")).isZero();
    }

    @Test
    void aTimeoutIsCountedOnceAndItsWorkerIsTold() throws InterruptedException {
        var _ = rows.live()
                .endpoint(BRIEF)
                .lane(Lanes.lane(BRIEF_QUEUE, 0, false, 4))
                .failures(2)
                .insert();
        var call = LeaseProcess.call(BRIEF, 1);
        process.broker.ask(call);
        var _ = await(process.broker.runOnce());
        var lease = call.answer().join().leases().getFirst().lease();
        Eventually.await("the timeout", PATIENCE, () -> lease.isOverdue(System.nanoTime()));
        gate.lose("SELECT 1");

        var _ = await(process.watch.runOnce());
        var _ = await(process.watch.runOnce());

        assertThat(gate.hasLost()).isTrue();
        assertThat(process.ended("timed_out")).isEqualTo(1);
        assertThat(process.executions("failed")).isEqualTo(1);
        var items = List.of(new LeaseItem.Complete(lease.token().toText(), Rows.json("{}")));
        assertThat(first(process.actions.complete(items, BRIEF::equals)))
                .isEqualTo(LeaseResult.lost(CancelReason.TIMED_OUT));
        assertThat(first(process.actions.complete(items, ENDPOINT::equals)))
                .isInstanceOfSatisfying(
                        LeaseResult.Refused.class,
                        refused -> assertThat(refused.code()).isEqualTo(LeaseResult.Code.FORBIDDEN));
    }
}
