package io.taskexec.api.job;

import static io.taskexec.testing.TestDb.await;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.api.execution.ExecutionView;
import io.taskexec.job.CheckTime;
import io.taskexec.job.JobCreation;
import io.taskexec.job.RealJobCreation;
import io.taskexec.model.PublicId;
import io.taskexec.model.job.JobFields;
import io.taskexec.request.Fields;
import io.taskexec.store.execution.ExecutionStore;
import io.taskexec.store.job.JobStore;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.Rows;
import io.taskexec.testing.TestDb;
import org.junit.jupiter.api.Test;

/** Shows jobs of a real database. */
class JobViewTest {
    @Test
    void aJobThatItsRequestHasWaitedForTellsWhichOneItHasReplaced() {
        try (var db = TestDb.fresh()) {
            new Rows(db).endpoint("welcome").insert();
            var creation = RealJobCreation.on(db, new DueSignal());
            var first = create(creation, 1);
            var second = create(creation, 2);

            var job = requireNonNull(await(new JobStore(db.database()).find(second.id())));
            var execution = requireNonNull(await(new ExecutionStore(db.database()).find(second.id())));

            assertThat(JobView.of(second, job, ExecutionView.of(execution)).supersededJobId())
                    .isEqualTo(JobView.of(second).supersededJobId())
                    .isEqualTo(PublicId.JOB.show(first.id()));
        }
    }

    private static JobCreation.Outcome create(JobCreation creation, int input) {
        var body = "{'endpoint': 'welcome', 'delay': 'PT1H', 'idempotency_key': 'a', 'on_conflict': 'replace',"
                + " 'input': " + input + "}";
        var fields = Fields.of(Rows.json(body), "", JobFields.NEW_JOB);
        return await(creation.create(fields, null, null, new CheckTime("", 0), false));
    }
}
