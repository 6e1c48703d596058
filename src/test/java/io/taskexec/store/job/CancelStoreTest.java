package io.taskexec.store.job;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.job.Attempt;
import io.taskexec.store.execution.ExecutionStore;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreTest
class CancelStoreTest {
    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private final List<UUID> signalled = new ArrayList<>();
    private CancelStore store;

    @BeforeAll
    static void open() {
        rows.endpoint(ENDPOINT).insert();
    }

    @BeforeEach
    void clear() {
        var signal = new CancelSignal();
        signal.onCancel(signalled::add);
        store = Stores.cancelling(db.database(), signal);
    }

    @Test
    void whatWaitsIsCancelledAndHasNoAttempt() {
        var id = rows.live().dueIn(Duration.ofHours(1)).insert();

        assertThat(await(store.cancel(id, false))).isTrue();

        assertThat(db.number("SELECT count(*) FROM exec_live")).isZero();
        assertThat(db.number("SELECT count(*) FROM executions WHERE status = 'CANCELLED'"))
                .isEqualTo(1);
        assertThat(await(new ExecutionStore(db.database()).attempts(id, 0, 100)))
                .isEmpty();
        assertThat(signalled).containsExactly(id);
    }

    @Test
    void whatRunsIsCancelledOnlyByForceAndItsAttemptIsRecorded() {
        var id = rows.live().leased(UUID.randomUUID(), Duration.ofSeconds(30)).insert();

        assertThat(await(store.cancel(id, false))).isFalse();
        assertThat(signalled).isEmpty();
        assertThat(await(store.cancel(id, true))).isTrue();

        assertThat(await(new ExecutionStore(db.database()).attempts(id, 0, 100)))
                .extracting(Attempt::status)
                .containsExactly(Attempt.Status.CANCELLED);
    }

    @Test
    void aLeaseThatHasRunOutIsNoObstacle() {
        var id = rows.live().leased(UUID.randomUUID(), Duration.ofSeconds(-1)).insert();

        assertThat(await(store.cancel(id, false))).isTrue();
    }

    @Test
    void whatHasEndedStaysAsItIs() {
        var id = rows.finished().insert();

        assertThat(await(store.cancel(id, true))).isFalse();

        assertThat(db.number("SELECT count(*) FROM executions WHERE status = 'CANCELLED'"))
                .isZero();
    }
}
