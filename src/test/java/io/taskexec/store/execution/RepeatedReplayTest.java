package io.taskexec.store.execution;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.Uuid7;
import io.taskexec.store.job.CancelSignal;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests replays whose answers were lost, so that they are asked for again with the same ids. */
@StoreTest
class RepeatedReplayTest {
    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static ReplayStore store;

    @BeforeAll
    static void open() {
        rows.endpoint(Rows.ENDPOINT).insert();
        store = new ReplayStore(db.database(), new DueSignal(), db.region("default"));
    }

    @BeforeEach
    void clear() {
        rows.clearJobs();
    }

    private static boolean isWaiting(UUID id) {
        return db.number("SELECT count(*) FROM exec_live WHERE execution_id = $1", id) == 1;
    }

    @Test
    void aReplayThatWaitsHasBeenMade() {
        var old = rows.finished().insert();
        var replay = Uuid7.next();

        assertThat(await(store.replay(old, replay))).isTrue();
        assertThat(await(store.replay(old, replay))).isTrue();

        assertThat(isWaiting(replay)).isTrue();
    }

    @Test
    void aReplayThatHasEndedIsNotMadeAgain() {
        var old = rows.finished().insert();
        var replay = Uuid7.next();
        assertThat(await(store.replay(old, replay))).isTrue();
        assertThat(await(Stores.cancelling(db.database(), new CancelSignal()).cancel(replay, false)))
                .isTrue();

        assertThat(await(store.replay(old, replay))).isTrue();

        assertThat(isWaiting(replay)).isFalse();
    }

    @Test
    void whatHasNotEndedIsNotRepeated() {
        var live = rows.live().insert();

        assertThat(await(store.replay(live, Uuid7.next()))).isFalse();
    }
}
