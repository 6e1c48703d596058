package io.taskexec.scheduler;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.ProgramClock;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Retention goes by the clock of the database, also where that of the process is two months ahead. */
@StoreTest
class RetentionClockTest {
    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    @BeforeAll
    static void register() {
        rows.endpoint(ENDPOINT).insert();
    }

    @BeforeEach
    void beAhead() {
        ProgramClock.setAhead(Duration.ofDays(60));
    }

    @AfterEach
    void beRight() {
        ProgramClock.setAhead(Duration.ZERO);
    }

    private static void removeWhatIsOlderThanThirtyDays() {
        var _ = await(TestRetention.of(db, 30).runOnce());
    }

    private static UUID ended(int daysAgo) {
        return rows.finished()
                .createdAgo(Duration.ofDays(300))
                .endedAgo(Duration.ofDays(daysAgo))
                .insert();
    }

    @Test
    void historyIsKeptUntilItIsOld() {
        var _ = ended(31);
        var recent = ended(29);

        removeWhatIsOlderThanThirtyDays();

        assertThat(db.row("SELECT execution_id FROM executions").getUUID(0)).isEqualTo(recent);
    }
}
