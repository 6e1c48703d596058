package io.taskexec.store.endpoint;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.endpoint.Breaker;
import io.taskexec.testing.ConnectionGate;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreTest(clearJobs = false)
class BreakerStoreTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private ConnectionGate gate;
    private BreakerStore store;

    @BeforeAll
    static void makeEndpoint() {
        rows.endpoint(ENDPOINT).insert();
    }

    @BeforeEach
    void begin() {
        db.execute("DELETE FROM breakers");
        db.execute("DELETE FROM endpoint_events");
        gate = db.gate();
        store = new BreakerStore(db.over(gate));
        open();
    }

    @AfterEach
    void close() {
        gate.close();
    }

    /** Opens it so that it may be probed at once. */
    private void open() {
        assertThat(await(store.open(ENDPOINT, Duration.ZERO, Duration.ofMinutes(10), "a test")))
                .isNotNull();
    }

    private Instant probe() {
        var since = await(store.probe(ENDPOINT, PATIENCE));
        return requireNonNull(since);
    }

    private Breaker.State state() {
        return requireNonNull(await(store.find(ENDPOINT))).state();
    }

    private static long events(String kind) {
        return db.number("SELECT count(*) FROM endpoint_events WHERE kind = $1", kind);
    }

    @Test
    void aRightToProbeIsHadThoughTheAnswerWasLost() {
        gate.lose("SELECT 1");

        var since = probe();

        assertThat(gate.hasLost()).isTrue();
        assertThat(await(store.probe(ENDPOINT, PATIENCE))).isNull();
        assertThat(events("BREAKER_HALF_OPEN")).isEqualTo(1);
        assertThat(await(store.close(ENDPOINT, since))).isTrue();
    }

    @Test
    void aBreakerHasBeenClosedThoughTheAnswerWasLost() {
        var since = probe();
        gate.lose("SELECT 1");

        assertThat(await(store.close(ENDPOINT, since))).isTrue();

        assertThat(gate.hasLost()).isTrue();
        assertThat(await(store.close(ENDPOINT, since))).isFalse();
        assertThat(events("BREAKER_CLOSED")).isEqualTo(1);
    }

    @Test
    void aRightFromBeforeItOpenedAgainClosesNothing() {
        var old = probe();
        open();
        var latest = probe();

        assertThat(await(store.close(ENDPOINT, old))).isFalse();
        assertThat(state()).isEqualTo(Breaker.State.HALF_OPEN);

        assertThat(await(store.close(ENDPOINT, latest))).isTrue();
        open();
        var _ = probe();
        assertThat(await(store.close(ENDPOINT, latest)))
                .as("with as many openings as then")
                .isFalse();
        assertThat(state()).isEqualTo(Breaker.State.HALF_OPEN);
    }

    @Test
    void aRightHoldsWhileAnotherProcessProbesToo() {
        var since = probe();
        db.execute("UPDATE breakers SET retry_at = now() - interval '1 second'");
        assertThat(probe()).isEqualTo(since);

        assertThat(await(store.close(ENDPOINT, since))).isTrue();
    }
}
