package io.taskexec.workflow;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.taskexec.job.CheckTime;
import io.taskexec.job.RealJobCreation;
import io.taskexec.job.RealWorkflowJobs;
import io.taskexec.model.job.JobFields;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Fields;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.store.workflow.RunStore;
import io.taskexec.testing.Rows;
import io.taskexec.testing.TestDb;
import io.taskexec.workflow.WorkflowCreation.Created;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Creates runs of workflows on a real database. */
class WorkflowCreationTest {
    private static final String ONE = """
            {"idempotency_key": "k", "jobs": {"a": {"endpoint": "welcome", "input": %s}}}""";

    private TestDb db;

    @BeforeEach
    void open() {
        db = TestDb.fresh();
        new Rows(db).endpoint("welcome").insert();
    }

    @AfterEach
    void close() {
        db.close();
    }

    /** In a process that has read no endpoint yet. */
    private Created create(String body) {
        var database = db.database();
        var creation = new WorkflowCreation(
                RealJobCreation.on(db, new DueSignal()),
                RealJobCreation.endpoints(database),
                RealWorkflowJobs.on(database),
                new RunStore(database));
        var fields = Fields.of(body.getBytes(StandardCharsets.UTF_8), JobFields.NEW_WORKFLOW);
        return await(creation.create(fields, null, null, new CheckTime("", 0), false));
    }

    @Test
    void aRepeatedRequestFindsItsRunAlsoWhenAJobOfItWouldBeRefusedByNow() {
        var first = create(ONE.formatted(1));
        db.execute("DELETE FROM endpoints WHERE name = 'welcome'");

        var again = create(ONE.formatted(1));

        assertThat(again.outcome().created()).isFalse();
        assertThat(again.outcome().id()).isEqualTo(first.outcome().id());
        var refusal = catchThrowableOfType(ApiException.class, () -> create(ONE.formatted(2)));
        assertThat(refusal.code()).isEqualTo(ErrorCode.ENDPOINT_NOT_FOUND);
    }

    @Test
    void theOrderInWhichAJobNamesItsParentsMeansNothing() {
        var body = """
                {"idempotency_key": "k", "jobs": {"a": {"endpoint": "welcome"}, "b": {"endpoint": "welcome"},
                  "c": {"endpoint": "welcome", "depends_on": [%s]}}}""";
        var first = create(body.formatted("\"a\", \"b\""));

        var again = create(body.formatted("\"b\", \"a\""));

        assertThat(again.outcome().created()).isFalse();
        assertThat(again.outcome().id()).isEqualTo(first.outcome().id());
    }

    @Test
    void anInputWithoutTheFlowKeyOfItsEndpointIsRefusedWithTheNameOfItsJob() {
        db.execute("UPDATE endpoint_versions SET flow = $1::text::json WHERE name = 'welcome'", """
                {"key": "{{input.tenant}}", "max_concurrency": 1, "order": "any", "fair": false}""");

        var refusal = catchThrowableOfType(ApiException.class, () -> create(ONE.formatted("{}")));

        assertThat(refusal.code()).isEqualTo(ErrorCode.TEMPLATE_RESOLUTION_FAILED);
        assertThat(refusal.details()).extracting(ApiException.Detail::pointer).containsExactly("/jobs/a/input");
    }
}
