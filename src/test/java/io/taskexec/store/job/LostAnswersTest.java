package io.taskexec.store.job;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.store.dependency.DependencyReleases;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.job.JobReplacement.Replaced;
import io.taskexec.store.sql.Database;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.ConnectionGate;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import io.taskexec.testing.TestJob;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Changes of jobs that are run again, since their answer or that to their commit was lost. */
@StoreTest
class LostAnswersTest {
    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private final DueSignal dueSignal = new DueSignal();
    private final List<UUID> signalled = new ArrayList<>();
    private ConnectionGate gate;
    private Database database;
    private CancelStore cancellations;
    private JobCreator creator;

    @BeforeAll
    static void makeEndpoint() {
        rows.endpoint(ENDPOINT).insert();
    }

    @BeforeEach
    void open() {
        gate = db.gate();
        database = db.over(gate);
        var signal = new CancelSignal();
        signal.onCancel(signalled::add);
        cancellations = Stores.cancelling(database, signal);
        creator =
                Stores.creator(database, new IdempotencyKeyStore(database, () -> 24), dueSignal, db.region("default"));
    }

    @AfterEach
    void close() {
        gate.close();
    }

    private static TestJob later(String key) {
        return new TestJob().endpoint(ENDPOINT, 1).key(key).delay(Duration.ofHours(1));
    }

    private UUID create(String key) {
        var job = later(key).made();
        assertThat(await(creator.create(job))).isInstanceOf(NewJob.Result.Created.class);
        return job.id();
    }

    @Test
    void aCancellationHasBeenDone() {
        var id = rows.live().dueIn(Duration.ofHours(1)).insert();
        gate.lose("SELECT 1");

        assertThat(await(cancellations.cancel(id, false))).isTrue();

        assertThat(gate.hasLost()).isTrue();
        assertThat(signalled).containsExactly(id);
    }

    @Test
    void whatRunsIsStillNotCancelled() {
        var id = rows.live().leased(UUID.randomUUID(), Duration.ofSeconds(30)).insert();
        gate.lose("SELECT 0");

        assertThat(await(cancellations.cancel(id, false))).isFalse();

        assertThat(gate.hasLost()).isTrue();
        assertThat(signalled).isEmpty();
    }

    @Test
    void aCancellationByKeyHasBeenDone() {
        var id = create("cancelled");
        gate.lose("COMMIT");

        assertThat(await(cancellations.cancel(ENDPOINT, "cancelled", id, false)))
                .isTrue();

        assertThat(gate.hasLost()).isTrue();
        assertThat(signalled).containsExactly(id);
    }

    @Test
    void aChangeIsMadeOnce() {
        var id = create("changed");
        var updates = new JobUpdateStore(database, dueSignal, new FlowReleases(database, dueSignal));
        gate.lose("COMMIT");

        assertThat(await(updates.update(
                        later("changed").id(id).delay(Duration.ZERO).made(), 1, true)))
                .isEqualTo(JobUpdateStore.Result.CHANGED);

        assertThat(gate.hasLost()).isTrue();
        assertThat(db.number("SELECT version::bigint FROM jobs WHERE job_id = $1", id))
                .isEqualTo(2);
    }

    @Test
    void aReplacementNamesTheJobThatItHasSuperseded() {
        var first = create("replaced");
        var replacement = new JobReplacement(
                database, creator, new FlowReleases(database, dueSignal), new DependencyReleases(database, dueSignal));
        gate.lose("COMMIT");

        assertThat(await(replacement.replace(later("replaced").made(), null)))
                .extracting(Replaced::superseded)
                .isEqualTo(first);

        assertThat(gate.hasLost()).isTrue();
    }
}
