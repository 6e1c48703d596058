package io.taskexec.lease;

import static io.taskexec.lease.LeaseProcess.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.model.lease.CancelReason;
import io.taskexec.resolve.Resolution;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests what workers say of attempts that have taken longer than their timeout, though their leases still hold. */
@StoreTest
class OverdueLeasesTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    @BeforeAll
    static void makeEndpoint() {
        LeaseProcess.makeEndpoint(db, rows);
        db.execute("UPDATE endpoint_versions SET spec = '{\"timeout_ms\": %d}'".formatted(TIMEOUT.toMillis()));
    }

    @BeforeEach
    void clear() {
        rows.clearJobs();
    }

    /** Leases an execution whose attempt began long ago, by a process that has gone. */
    private static String overdue() {
        try (var before = new LeaseProcess(db)) {
            var id = LeaseProcess.due(rows, 4);
            var lease = before.lease().token().toText();
            db.execute("UPDATE exec_live SET started_at = now() - interval '50 minutes' WHERE execution_id = $1", id);
            return lease;
        }
    }

    private static LeaseResult complete(LeaseProcess process, String lease) {
        var items = List.of(new LeaseItem.Complete(lease, Rows.json("{}")));
        return await(process.actions.complete(items, ENDPOINT::equals)).getFirst();
    }

    private static LeaseResult extend(LeaseProcess process, String lease) {
        var items = List.of(new LeaseItem.Extend(lease, null));
        var extension = new LeaseItem.Extension(Duration.ofMinutes(5), items);
        return await(process.actions.extend(extension, ENDPOINT::equals)).getFirst();
    }

    private static void checkTimedOut(LeaseProcess process) {
        assertThat(process.ended("timed_out")).isEqualTo(1);
        assertThat(db.number("SELECT count(*) FROM exec_live WHERE failures = 1 AND lease_token IS NULL"))
                .isEqualTo(1);
    }

    @Test
    void aResultIsTooLateAlsoForAProcessThatHasNotHandedOutTheLease() {
        var lease = overdue();
        try (var process = new LeaseProcess(db)) {
            assertThat(complete(process, lease)).isEqualTo(LeaseResult.lost(CancelReason.TIMED_OUT));

            checkTimedOut(process);
            assertThat(complete(process, lease)).isEqualTo(LeaseResult.lost(CancelReason.TIMED_OUT));
            assertThat(process.executions("success")).isZero();
        }
    }

    @Test
    void theLeaseIsNotExtendedByAnyProcess() {
        var lease = overdue();
        try (var process = new LeaseProcess(db)) {
            assertThat(extend(process, lease)).isEqualTo(LeaseResult.lost(CancelReason.TIMED_OUT));

            checkTimedOut(process);
        }
    }

    @Test
    void aResultThatWasRecordedInTimeIsTheAnswerAlsoLater() {
        try (var process = new LeaseProcess(db);
                var other = new LeaseProcess(db)) {
            var _ = LeaseProcess.due(rows, 4);
            var lease = process.lease();
            var token = lease.token().toText();
            assertThat(complete(other, token)).isEqualTo(new LeaseResult.Ended(ExecutionStatus.SUCCESS));
            process.held.add(aged(lease));

            assertThat(complete(process, token)).isEqualTo(new LeaseResult.Ended(ExecutionStatus.SUCCESS));
            assertThat(process.ended("timed_out")).isZero();
        }
    }

    /** The same lease, as the process knows it when the time of its attempt is over. */
    private static HeldLease aged(HeldLease lease) {
        var now = System.nanoTime();
        var terms = new Resolution.Pulled(null, null, TIMEOUT, false, lease.resultSettings());
        var begunAt = now - Duration.ofMinutes(50).toNanos();
        return new HeldLease(lease.claim(), lease.workerId(), lease.endpoints(), terms, 4, begunAt, now);
    }
}
