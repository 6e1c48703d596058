package io.taskexec.region;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.loop.LoopTimer;
import io.taskexec.model.TaskProgress;
import io.taskexec.store.region.HeartbeatStore;
import io.taskexec.store.region.RegionConfig;
import io.taskexec.store.region.RegionStore;
import io.taskexec.testing.EventsOn;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.TestDb;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class RegionsTest {
    private record Config() implements RegionConfig {
        @Override
        public String region() {
            return "default";
        }

        @Override
        public int regionSilenceSec() {
            return 30;
        }
    }

    private static Regions regions(TestDb db, LoopTimer timer) {
        return new Regions(
                new HeartbeatStore(db.database()),
                db.region("default"),
                new RegionStore(db.database()),
                new Config(),
                () -> 48,
                new EventsOn(),
                timer);
    }

    @Test
    void functionsForApplicationsAreToldOfTheSettings() throws InterruptedException {
        var timer = new LoopTimer();
        try (var db = TestDb.fresh()) {
            var regions = regions(db, timer);
            regions.start(List.of("api"), false);

            var told = Eventually.await(
                    "they are told",
                    TestDb.PATIENCE,
                    () -> db.rows("SELECT * FROM region_status WHERE events IS NOT NULL"),
                    found -> !found.isEmpty());
            assertThat(told.getFirst().getBoolean("events")).isTrue();
            assertThat(told.getFirst().getLong("idempotency_key_ttl_ms"))
                    .isEqualTo(Duration.ofDays(2).toMillis());
            await(regions.stop());
        } finally {
            timer.close();
        }
    }

    @Test
    void whoCannotSayThatItLivesFailsUntilItCan() throws InterruptedException {
        var timer = new LoopTimer();
        try (var db = TestDb.fresh()) {
            var regions = regions(db, timer);
            assertThat(regions.progress()).isEqualTo(TaskProgress.NONE);
            db.execute("ALTER TABLE region_heartbeats RENAME TO away");

            regions.start(List.of("api"), false);
            Eventually.await(
                    "it counts",
                    TestDb.PATIENCE,
                    () -> regions.progress().failing().compareTo(Duration.ofMillis(150)) > 0);
            assertThat(regions.progress().sinceSuccess()).isNull();

            db.execute("ALTER TABLE away RENAME TO region_heartbeats");
            Eventually.await(
                    "it has said so", TestDb.PATIENCE, () -> regions.progress().sinceSuccess() != null);
            assertThat(regions.progress().failing()).isZero();
            await(regions.stop());
        } finally {
            timer.close();
        }
    }
}
