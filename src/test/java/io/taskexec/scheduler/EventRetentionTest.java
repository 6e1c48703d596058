package io.taskexec.scheduler;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.taskexec.model.Switch;
import io.taskexec.store.event.EventStore;
import io.taskexec.store.sql.EventsConfig;
import io.taskexec.testing.TestDb;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class EventRetentionTest {
    private record TwoHours() implements EventsConfig {
        @Override
        public Switch eventsEnabled() {
            return Switch.TRUE;
        }

        @Override
        public int eventsRetentionHours() {
            return 2;
        }
    }

    @Test
    void whatNobodyAskedForIsMovedToTheLogAndWhatIsOldIsRemovedFromIt() {
        try (var db = TestDb.fresh()) {
            var registry = new SimpleMeterRegistry();
            var store = new EventStore(db.database(), new TwoHours());
            var retention = new EventRetention(db.database(), store, new TwoHours(), new RetentionMetrics(registry));
            db.execute("""
                    INSERT INTO event_outbox (execution_id, job_id, kind, attempt, at)
                    SELECT $1, $1, 'STARTED', i, now() - CASE WHEN i <= 1500 THEN interval '3 hours' ELSE interval '1 \
                    hour' END
                    FROM generate_series(1, 1600) AS i
                    """, UUID.randomUUID());

            assertThat(await(retention.runOnce())).isLessThan(Duration.ofMinutes(1));
            assertThat(await(retention.runOnce())).isEqualTo(Duration.ofMinutes(1));

            assertThat(db.number("SELECT count(*) FROM event_outbox")).isZero();
            assertThat(db.number("SELECT min(attempt) FROM event_log")).isEqualTo(1501);
            assertThat(await(store.extent()).removed()).isEqualTo(1500);
            assertThat(registry.get("taskexec.retention.removed")
                            .tag("table", "event_log")
                            .counter()
                            .count())
                    .isEqualTo(1500);
        }
    }
}
