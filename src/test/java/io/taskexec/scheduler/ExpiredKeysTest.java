package io.taskexec.scheduler;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.ProgramClock;
import io.taskexec.store.job.IdempotencyKeyStore;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreTest
class ExpiredKeysTest {
    private static final Duration TTL = Duration.ofHours(24);

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static IdempotencyKeyStore store;

    @BeforeAll
    static void open() {
        store = new IdempotencyKeyStore(db.database(), () -> (int) TTL.toHours());
        rows.endpoint(ENDPOINT).insert();
    }

    @BeforeEach
    void clear() {
        var _ = db.execute("UPDATE sweeps SET position = '00000000-0000-0000-0000-000000000000'");
    }

    private static UUID job(String key, Duration age) {
        var job = rows.finished().id(Rows.idFrom(age)).key(key).insert();
        rows.ageKey(key, age);
        return job;
    }

    private static Duration sweep() {
        return await(new ExpiredKeys(db.database(), store).runOnce());
    }

    private static boolean exists(String key) {
        return db.number("SELECT count(*) FROM idempotency_keys WHERE idempotency_key = $1", key) == 1;
    }

    @Test
    void expiredKeysGoAndTheirJobsStay() {
        var old = job("old", TTL.plusHours(1));
        var _ = job("young", TTL.minusHours(1));

        assertThat(sweep()).isEqualTo(Duration.ofMinutes(1));

        assertThat(exists("old")).isFalse();
        assertThat(exists("young")).isTrue();
        assertThat(db.number("SELECT count(*) FROM jobs WHERE job_id = $1", old))
                .isEqualTo(1);
    }

    @Test
    void theKeyOfAJobThatHasNotEndedStays() {
        var _ = rows.live().id(Rows.idFrom(TTL.plusHours(1))).key("open").insert();
        rows.ageKey("open", TTL.plusHours(1));

        var _ = sweep();

        assertThat(exists("open")).isTrue();
    }

    @Test
    void theClockOfTheProcessEndsNoKeyAndLetsNonePass() {
        var _ = job("recent", Duration.ofHours(1));
        ProgramClock.setAhead(Duration.ofDays(60));
        try {
            var _ = sweep();
        } finally {
            ProgramClock.setAhead(Duration.ZERO);
        }

        assertThat(exists("recent")).isTrue();
        assertThat(db.number(
                        "SELECT count(*) FROM sweeps WHERE name = 'idempotency_keys' AND position = $1",
                        new UUID(0, 0)))
                .isEqualTo(1);
    }

    @Test
    void aKeyLastsAsLongAsOthersWhereTheIdOfItsJobWasMadeByAClockFarBehind() {
        var _ = job("recent", TTL.plusHours(1));
        rows.ageKey("recent", Duration.ofHours(1));

        var _ = sweep();

        assertThat(exists("recent")).isTrue();
    }

    @Test
    void aSweepGoesOnWhereTheLastOneEnded() {
        for (var i = 0; i < 5; i++) {
            var _ = job("old" + i, TTL.plusHours(10 - i));
        }

        assertThat(await(store.sweep(Instant.now(), 2))).isEqualTo(2);
        assertThat(exists("old1")).isFalse();
        assertThat(exists("old2")).isTrue();
        assertThat(await(store.sweep(Instant.now(), 2))).isEqualTo(2);
        assertThat(await(store.sweep(Instant.now(), 2))).isEqualTo(1);
        assertThat(await(store.sweep(Instant.now(), 2))).isZero();
        assertThat(db.number("SELECT count(*) FROM idempotency_keys")).isZero();
    }

    @Test
    void aKeyThatANewerJobHasTakenOverStays() {
        var _ = job("taken over", TTL.plusHours(1));
        var newer = job("another", TTL.minusHours(1));
        var _ = db.execute("DELETE FROM idempotency_keys WHERE idempotency_key = 'another'");
        var _ = db.execute("UPDATE idempotency_keys SET job_id = $1 WHERE idempotency_key = 'taken over'", newer);

        await(store.sweep(Instant.now(), 100));

        assertThat(exists("taken over")).isTrue();
    }
}
