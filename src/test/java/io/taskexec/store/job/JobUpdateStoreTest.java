package io.taskexec.store.job;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.Uuid7;
import io.taskexec.model.flow.FlowKey;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.job.JobUpdateStore.Result;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import io.taskexec.testing.TestJob;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests what becomes of the place of a strict flow key when the job that has it is changed. */
@StoreTest
class JobUpdateStoreTest {
    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final String STRICT = "strict";
    private static final FlowKey KEY = FlowKey.of(STRICT, "order 7");

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private JobCreator creator;
    private JobUpdateStore updates;

    @BeforeAll
    static void makeEndpoint() {
        rows.endpoint(STRICT).insert();
        rows.flowPolicy(STRICT, "max_concurrency, fifo", "1, true");
    }

    @BeforeEach
    void clear() {
        rows.clearJobs();
        db.execute("DELETE FROM flow_limits");
        var database = db.database();
        creator = Stores.creator(
                database, new IdempotencyKeyStore(database, () -> 24), new DueSignal(), db.region("default"));
        updates = new JobUpdateStore(database, new DueSignal(), new FlowReleases(database, new DueSignal()));
    }

    private static NewJob job(UUID id, Duration delay, Set<String> tags) {
        return new TestJob()
                .id(id)
                .endpoint(STRICT, 1)
                .delay(delay)
                .tags(tags)
                .flow(KEY)
                .made();
    }

    private UUID create() {
        var id = Uuid7.next();
        assertThat(await(creator.create(job(id, Duration.ZERO, Set.of())))).isInstanceOf(NewJob.Result.Created.class);
        return id;
    }

    private static int state(UUID id) {
        return db.row("SELECT flow_state FROM exec_live WHERE execution_id = $1", id)
                .getInteger("flow_state");
    }

    private static long open() {
        return db.number("SELECT open FROM flow_limits WHERE flow_id = $1", KEY.id());
    }

    private UUID createFirst() throws InterruptedException {
        var first = create();
        Eventually.await("the first has the place of its key", BOUND, () -> state(first) == 2);
        return first;
    }

    @Test
    void aJobThatIsPutOffGivesItsPlaceToTheNextOfItsKey() throws InterruptedException {
        var first = createFirst();
        var second = create();
        Eventually.await("the second waits", BOUND, () -> state(second) == 1);

        assertThat(await(updates.update(job(first, Duration.ofHours(1), Set.of()), 1, true)))
                .isEqualTo(Result.CHANGED);

        assertThat(state(first)).isZero();
        Eventually.await("the second has the place", BOUND, () -> state(second) == 2);
        assertThat(open()).isEqualTo(1);
    }

    @Test
    void aJobThatIsPutOffAndIsAloneLeavesItsKeyEmpty() throws InterruptedException {
        var first = createFirst();

        assertThat(await(updates.update(job(first, Duration.ofHours(1), Set.of()), 1, true)))
                .isEqualTo(Result.CHANGED);

        assertThat(open()).isZero();
    }

    @Test
    void aJobThatGetsAnotherKeyGivesItsPlaceToTheNextOfTheOldOne() throws InterruptedException {
        var first = createFirst();
        var second = create();
        Eventually.await("the second waits", BOUND, () -> state(second) == 1);
        var other = new TestJob()
                .id(first)
                .endpoint(STRICT, 1)
                .delay(Duration.ZERO)
                .tags(Set.of())
                .flow(FlowKey.of(STRICT, "order 8"))
                .made();

        assertThat(await(updates.update(other, 1, false))).isEqualTo(Result.CHANGED);

        assertThat(state(first)).isZero();
        Eventually.await("the second has the place", BOUND, () -> state(second) == 2);
        assertThat(open()).isEqualTo(1);
    }

    @Test
    void aJobThatIsChangedButForItsTimeOrIsToRunNowKeepsItsPlace() throws InterruptedException {
        var first = createFirst();

        assertThat(await(updates.update(job(first, Duration.ZERO, Set.of("a")), 1, false)))
                .isEqualTo(Result.CHANGED);
        assertThat(await(updates.update(job(first, Duration.ZERO, Set.of("a")), 2, true)))
                .isEqualTo(Result.CHANGED);

        assertThat(state(first)).isEqualTo(2);
        assertThat(open()).isEqualTo(1);
    }
}
