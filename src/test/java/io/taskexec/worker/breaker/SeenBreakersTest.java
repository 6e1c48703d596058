package io.taskexec.worker.breaker;

import static io.taskexec.testing.Rows.ENDPOINT;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.ProgramClock;
import io.taskexec.model.endpoint.Breaker;
import io.taskexec.store.endpoint.BreakerStore;
import io.taskexec.store.endpoint.BreakerStore.Active;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreTest(clearJobs = false)
class SeenBreakersTest {
    private static final Instant CHANGED_AT = Instant.EPOCH;

    @Inject
    private static TestDb db;

    private SeenBreakers seen;
    private long askedAt;

    @BeforeEach
    void open() {
        seen = new SeenBreakers(new BreakerStore(db.database()), TestBreakers.DEFAULT);
        askedAt = System.nanoTime();
    }

    private void see(Breaker.State state, Instant changedAt, Duration age) {
        seen.replace(List.of(new Active(ENDPOINT, state, changedAt, age, Duration.ZERO)), ++askedAt);
    }

    private void seeNothing() {
        seen.replace(List.of(), ++askedAt);
    }

    @Test
    void anOlderLookDoesNotReplaceALaterOne() {
        see(Breaker.State.OPEN, CHANGED_AT, Duration.ZERO);

        seen.replace(List.of(), askedAt - 1);

        assertThat(seen.of(ENDPOINT)).isNotNull();
        seeNothing();
        assertThat(seen.of(ENDPOINT)).isNull();
    }

    @Test
    void eachLookTellsTheSameMomentOfOneClosingAndALaterOneOfTheNext() {
        see(Breaker.State.CLOSED, CHANGED_AT, Duration.ofSeconds(2));
        var first = requireNonNull(seen.closedAt(ENDPOINT));

        see(Breaker.State.CLOSED, CHANGED_AT, Duration.ofSeconds(1));
        assertThat(seen.closedAt(ENDPOINT)).isEqualTo(first);
        seeNothing();
        assertThat(seen.closedAt(ENDPOINT)).isEqualTo(first);

        see(Breaker.State.CLOSED, CHANGED_AT.plusSeconds(1), Duration.ofMillis(1));
        assertThat(seen.closedAt(ENDPOINT)).isGreaterThan(first);
    }

    @Test
    void aClosingIsNotInTheFutureThoughTheClockOfTheDatabaseHasGoneBack() {
        see(Breaker.State.CLOSED, CHANGED_AT, Duration.ofHours(-1));

        assertThat(seen.closedAt(ENDPOINT)).isLessThanOrEqualTo(ProgramClock.nanoTime());
    }

    @Test
    void aBreakerThatWasOpenAndIsNotSeenAnyMoreHasClosed() {
        see(Breaker.State.HALF_OPEN, CHANGED_AT, Duration.ofSeconds(1));
        assertThat(seen.closedAt(ENDPOINT)).isNull();
        var before = ProgramClock.nanoTime();

        seeNothing();

        assertThat(seen.closedAt(ENDPOINT)).isBetween(before, ProgramClock.nanoTime());
    }
}
