package io.taskexec.lease;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.lease.CancelReason;
import io.taskexec.store.sql.Lanes;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreTest
class PulledPreemptionTest {
    private static final int OTHER_QUEUE = 8;
    private static final String OTHER = "other";

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    @BeforeAll
    static void makeEndpoint() {
        LeaseProcess.makeEndpoint(db, rows);
        LeaseProcess.makeEndpoint(db, rows, OTHER_QUEUE, OTHER);
    }

    @BeforeEach
    void clear() {
        rows.clearJobs();
    }

    private static UUID waiting(int priority) {
        var id = LeaseProcess.due(rows, priority);
        become(id, "now() - interval '1 second'");
        return id;
    }

    private static void become(UUID execution, String due) {
        db.execute("UPDATE exec_live SET visible_at = " + due + " WHERE execution_id = $1", execution);
    }

    @Test
    void theAttemptThatBeganLastIsAskedToYieldWhateverWasCreatedLast() {
        try (var process = new LeaseProcess(db)) {
            var createdFirst = waiting(4);
            become(createdFirst, "now() + interval '1 hour'");
            var createdLast = waiting(4);
            var begunFirst = process.lease();
            assertThat(begunFirst.claim().executionId()).isEqualTo(createdLast);
            become(createdFirst, "now()");
            var begunLast = process.lease();
            assertThat(begunLast.claim().executionId()).isEqualTo(createdFirst);
            var _ = waiting(0);

            await(process.preemption.look());

            assertThat(begunLast.cancelled()).isEqualTo(CancelReason.PREEMPTED);
            assertThat(begunFirst.cancelled()).isNull();
        }
    }

    @Test
    void whileNothingIsUrgentThoseThatWaitDoNotLookAgain() {
        try (var process = new LeaseProcess(db)) {
            var _ = waiting(4);
            assertThat(process.lease().canYield()).isTrue();
            var later = rows.live()
                    .endpoint(OTHER)
                    .lane(Lanes.lane(OTHER_QUEUE, 0, false, 4))
                    .dueIn(Duration.ofHours(1))
                    .insert();
            var call = LeaseProcess.call(OTHER, 1);
            process.broker.ask(call);
            var _ = await(process.broker.runOnce());
            become(later, "now()");

            await(process.preemption.look());
            var _ = await(process.broker.runOnce());
            assertThat(call.answer()).isNotDone();

            process.broker.look();
            var _ = await(process.broker.runOnce());
            assertThat(call.answer()).isDone();
        }
    }
}
