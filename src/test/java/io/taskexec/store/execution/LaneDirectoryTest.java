package io.taskexec.store.execution;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.store.sql.Lanes;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

@StoreTest
class LaneDirectoryTest {
    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static LaneDirectory store;

    @BeforeAll
    static void open() {
        store = new LaneDirectory(db.database());
        rows.endpoint(ENDPOINT).insert();
    }

    private static LaneDirectory.Reading read(Integer... regions) {
        return await(store.read(new LaneDirectory.Scope(List.of(regions), Lanes.PRIORITIES - 1)));
    }

    @Test
    void withoutExecutionsThereIsNothingToWaitFor() {
        assertThat(read(0)).isEqualTo(new LaneDirectory.Reading(List.of(), null, 0));
    }

    @Test
    void eachGroupWithSomethingDueIsThereOnce() {
        rows.live().lane(Lanes.lane(0, 0, false, 3)).insert();
        rows.live().lane(Lanes.lane(0, 0, false, 7)).insert();
        rows.live().lane(Lanes.lane(0, 0, true, 0)).insert();
        rows.live().lane(Lanes.lane(999, 0, false, 4)).insert();
        rows.live().lane(Lanes.lane(1, 0, false, 2)).flow("tenant").insert();
        rows.live()
                .lane(Lanes.lane(2, 0, false, 2))
                .dueIn(Duration.ofSeconds(40))
                .insert();

        var reading = read(0);

        assertThat(reading.due())
                .containsExactlyInAnyOrder(
                        Lanes.lane(0, 0, false, 0),
                        Lanes.lane(0, 0, true, 0),
                        Lanes.lane(999, 0, false, 0),
                        Lanes.keyed(Lanes.lane(1, 0, false, 0)));
        assertThat(reading.untilNext()).isBetween(Duration.ofSeconds(30), Duration.ofSeconds(40));
        assertThat(reading.lanes()).isEqualTo(6);
    }

    @Test
    void otherRegionsDoNotCount() {
        rows.live().lane(Lanes.lane(0, 1, false, 4)).insert();
        rows.live()
                .lane(Lanes.lane(0, 2, true, 4))
                .dueIn(Duration.ofSeconds(10))
                .insert();

        assertThat(read(0)).isEqualTo(new LaneDirectory.Reading(List.of(), null, 2));
        assertThat(read(0, 1).due()).containsExactly(Lanes.lane(0, 1, false, 0));
        assertThat(read(2).untilNext()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(10));
    }

    @Test
    void whatIsParkedIsNotWaitedForLongerThanADay() {
        rows.live().parked("tenant").insert();

        var reading = read(0);

        assertThat(reading.due()).isEmpty();
        assertThat(reading.untilNext()).isBetween(Duration.ofHours(23), Duration.ofDays(1));
    }
}
