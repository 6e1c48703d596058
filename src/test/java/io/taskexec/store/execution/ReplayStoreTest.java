package io.taskexec.store.execution;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.Uuid7;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@StoreTest(clearJobs = false)
class ReplayStoreTest {
    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    @BeforeAll
    static void open() {
        rows.endpoint(Rows.ENDPOINT).insert();
        for (var region : List.of("first", "forgotten", "asked")) {
            await(db.region(region).refresh());
        }
        db.execute("DELETE FROM region_status WHERE region = 'forgotten'");
    }

    /** Nobody serves the lanes 8 to 15 and 72 to 79 any more. */
    @ParameterizedTest
    @CsvSource({"8,16", "12,20", "15,23", "78,86", "4,20", "68,84"})
    void aReplayIsInTheRegionThatIsAskedForItWhateverThatOfTheExecution(int lane, int expected) {
        var ended = rows.finished().insert();
        db.execute("UPDATE executions SET lane = $2::int, region = 'forgotten' WHERE execution_id = $1", ended, lane);
        var asked = db.region("asked");
        var replay = Uuid7.next();

        assertThat(await(new ReplayStore(db.database(), new DueSignal(), asked).replay(ended, replay)))
                .isTrue();

        var row = db.row("SELECT region, lane FROM exec_live WHERE execution_id = $1", replay);
        assertThat(row.getString("region")).isEqualTo("asked");
        assertThat(row.getInteger("lane")).isEqualTo(expected);
        var lanes = Lanes.of(Lanes.lines(List.of(0), await(asked.numbers())));
        assertThat(lanes).contains(expected);
    }
}
