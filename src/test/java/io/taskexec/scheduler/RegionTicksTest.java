package io.taskexec.scheduler;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.delivery.Claim;
import io.taskexec.store.region.RegionFilter;
import io.taskexec.store.sql.Lanes;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class RegionTicksTest {
    private static List<Claim> claim(TestDb db, RegionFilter region) {
        await(region.refresh());
        var lanes = Lanes.of(Lanes.lines(List.of(0), await(region.numbers())));
        return await(Stores.leases(db.database()).claim(lanes, 10, Duration.ofMinutes(1), UUID.randomUUID()));
    }

    @Test
    void theScheduleOfASilentRegionFiresInAnotherAndItsExecutionStaysWithItsRegion() {
        try (var db = TestDb.fresh()) {
            var other = db.region("other");
            await(other.refresh());
            var bed = new ScheduleBed(db, "silent");
            var job = bed.every(Duration.ofHours(1)).due(Instant.now().minusSeconds(1));

            // Whose scheduler it is does not matter.
            bed.runUntilNothingIsDue();

            var row = db.row("SELECT region, lane FROM exec_live WHERE job_id = $1", job);
            assertThat(row.getString("region")).isEqualTo("silent");
            assertThat(row.getInteger("lane")).isEqualTo((8 + 1) * 8 + 4);
            assertThat(claim(db, other)).isEmpty();
            db.execute("UPDATE region_status SET alive = false, adopted_by = 'other' WHERE region = 'silent'");
            assertThat(claim(db, other)).extracting(Claim::jobId).containsExactly(job);
        }
    }
}
