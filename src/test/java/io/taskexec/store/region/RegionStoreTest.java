package io.taskexec.store.region;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.taskexec.store.execution.ClaimStatement;
import io.taskexec.store.job.JobInsert;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.sql.UnavailableException;
import io.taskexec.testing.JobForms;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@StoreTest(clearJobs = false)
class RegionStoreTest {
    private static final Duration SILENCE = Duration.ofSeconds(30);

    @Inject
    private static TestDb db;

    @Test
    void withOneRegionStatementsAndLanesAreWhatTheyAreWithoutRegions() {
        assertThat(JobInsert.of(JobForms.PLAIN, HomeRegion.DEFAULT).alone()).doesNotContain("region");
        assertThat(ClaimStatement.PLAIN.alone()).doesNotContain("region");
        assertThat(ClaimStatement.MARKED.alone()).doesNotContain("region");
        assertThat(Lanes.of(Lanes.lines(List.of(0, 1), List.of(0))))
                .containsExactly(Lanes.of(List.of(0, 64, 128, 128 + 64)));
    }

    @Test
    void noTwoRegionsShareALaneAndNoneHasOneOfAnotherQueue() {
        var all = Lanes.of(Lanes.lines(List.of(2), List.of(0, 1, 2, 3, 4, 5, 6, 7)));

        assertThat(all).doesNotHaveDuplicates().hasSize(128).allMatch(lane -> lane >> 7 == 2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "EU", "eu_1", "o'clock", "a234567890123456789012345678901234567890123456789012345678901234"})
    void whatMustNotStandInAStatementIsNoName(String name) {
        assertThatIllegalArgumentException().isThrownBy(() -> new HomeRegion(name));
    }

    @Test
    void afterTroubleWithTheDatabaseNobodyIsTakenForSilent() {
        var heartbeats = new HeartbeatStore(db.database());
        for (var region : List.of("one", "two")) {
            await(db.region(region).refresh());
            await(heartbeats.live(new HomeRegion(region), List.of("worker")));
        }
        db.execute("UPDATE region_heartbeats SET last_beat_at = now() - interval '1 h' WHERE region = 'one'");
        db.execute("UPDATE region_status SET updated_at = now() - interval '1 h'");
        var troubled = new Database(db.pool(), TestDb.PATIENCE);
        assertThatThrownBy(() -> await(troubled.run("DO $$ BEGIN RAISE SQLSTATE '57P03'; END $$", Tuple.tuple())))
                .isInstanceOf(UnavailableException.class);

        assertThat(await(new RegionStore(troubled).adopt("two", SILENCE))).isEmpty();
        assertThat(await(new RegionStore(db.database()).adopt("two", SILENCE))).containsExactly("one");
    }

    @Test
    void eachRoleOfARegionHasOneRowThatSaysWhenItWasLastHeardOf() {
        var heartbeats = new HeartbeatStore(db.database());
        var region = new HomeRegion("beating");
        await(heartbeats.live(region, List.of("worker", "api")));
        db.execute("UPDATE region_heartbeats SET last_beat_at = now() - interval '1 h'");

        await(heartbeats.live(region, List.of("api")));

        assertThat(db.rows("SELECT component || ' ' || (last_beat_at > now() - interval '1 minute')"
                        + " FROM region_heartbeats WHERE region = 'beating' ORDER BY component"))
                .extracting(row -> row.getString(0))
                .containsExactly("api true", "worker false");
    }
}
