package io.taskexec.check;

import static io.taskexec.check.ProbeBed.exec;
import static io.taskexec.testing.Rows.ENDPOINT;

import io.taskexec.model.Uuid7;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The probe finds what is wrong with deferred executions. */
@StoreTest
class DeferralProbeTest {
    private static final Duration HOUR = Duration.ofHours(1);

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private ProbeBed bed;

    @BeforeAll
    static void register() {
        rows.endpoint(ENDPOINT).insert();
    }

    @BeforeEach
    void clear() {
        bed = new ProbeBed(db);
        for (var table : new String[] {"deferrals", "execution_progress", "approvals"}) {
            db.execute("DELETE FROM " + table);
        }
    }

    /** An execution that waits for its receiver for an hour. */
    private static UUID deferred() {
        var id = rows.live().dueIn(HOUR).insert();
        db.execute("UPDATE exec_live SET attempt = 1, deferred = true, started_at = now() WHERE execution_id = $1", id);
        terms(id);
        return id;
    }

    private static void terms(UUID id) {
        db.execute(
                "INSERT INTO deferrals (execution_id, attempt, mode, since, deadline, heard_at)"
                        + " VALUES ($1, 1, 'callback', now(), now() + interval '1 hour', now())",
                id);
    }

    private static void progress(UUID id) {
        db.execute(
                "INSERT INTO execution_progress (execution_id, attempt, done, reported_at, window_done, window_at,"
                        + " next_done, next_at) VALUES ($1, 1, 1, now(), 1, now(), 1, now())",
                id);
    }

    private static void question(UUID id) {
        db.execute(
                "INSERT INTO approvals (execution_id, attempt, title, announce, asked_at, deadline, on_timeout)"
                        + " VALUES ($1, 1, 'Go?', 'told', now(), now() + interval '1 hour', 'fail')",
                id);
    }

    @Test
    void aDeferredExecutionWithAllThatIsKnownOfItIsClean() {
        var waits = deferred();
        progress(waits);
        question(waits);
        var ended = rows.finished().insert();
        terms(ended);
        progress(ended);
        question(ended);

        bed.assertClean();
    }

    @Test
    void aDeferredExecutionWithoutTermsIsFound() {
        var id = deferred();
        db.execute("DELETE FROM deferrals");

        bed.assertFound("deferred_without_terms", exec(id));
    }

    @Test
    void aDeferredExecutionWithTheTermsOfAnotherAttemptIsFound() {
        var id = deferred();
        db.execute("UPDATE exec_live SET attempt = 2");

        bed.assertFound("deferred_without_terms", exec(id));
    }

    @Test
    void aDeferredExecutionThatNoWorkerLooksAtBeforeItsDeadlineIsFound() {
        var id = deferred();
        db.execute("UPDATE exec_live SET visible_at = now() + interval '62 minutes'");

        bed.assertFound("deferred_past_deadline", exec(id));
    }

    @ParameterizedTest
    @ValueSource(strings = {"deferrals", "execution_progress", "approvals"})
    void whatIsKnownOfNoExecutionIsFound(String table) {
        var gone = Uuid7.next();
        switch (table) {
            case "deferrals" -> terms(gone);
            case "execution_progress" -> progress(gone);
            default -> question(gone);
        }

        bed.assertFound("orphaned_progress", exec(gone));
    }
}
