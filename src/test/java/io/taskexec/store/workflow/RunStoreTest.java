package io.taskexec.store.workflow;

import static io.taskexec.testing.TestDb.await;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import org.junit.jupiter.api.Test;

@StoreTest
class RunStoreTest {
    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    @Test
    void anInputInWhichOutputsOfParentsStandMayBeDeeperThanARequest() {
        rows.endpoint(Rows.ENDPOINT).insert();
        var id = rows.live().insert();
        var deep = "[".repeat(96) + "]".repeat(96);
        db.execute(
                "INSERT INTO workflow_runs (run_id, job_id, name, input) VALUES ($1, $1, 'x', $2::text::json)",
                id,
                deep);
        var runs = new RunStore(db.database());

        assertThat(requireNonNull(await(runs.find(id))).input()).hasToString(deep);
        assertThat(await(runs.input(id))).hasToString(deep);
    }
}
