package io.taskexec.store.activity;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.activity.ActivityMinute;
import io.taskexec.model.activity.ActivityMinute.Depth;
import io.taskexec.observe.metrics.Meters;
import io.taskexec.store.metrics.StoreMetrics;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreTest
class ActivityRecorderTest {
    private static final Instant NOON = Instant.parse("2026-05-01T12:00:00Z");
    private static final long MILLIS = Duration.ofMillis(1).toNanos();

    @Inject
    private static TestDb db;

    private Instant now = NOON.plusSeconds(10);
    private ActivityStore store;
    private Recording one;

    /** The counts of a process, and their recorder. */
    private record Recording(ActivityCounts counts, StoreMetrics metrics, ActivityRecorder recorder) {
        void record() {
            await(recorder.record());
        }
    }

    @BeforeEach
    void open() {
        db.execute("DELETE FROM activity_minutes");
        store = new ActivityStore(db.database());
        one = process();
    }

    private Recording process() {
        var counts = new ActivityCounts();
        var metrics = new StoreMetrics(Meters.none());
        return new Recording(counts, metrics, new ActivityRecorder(store, counts, metrics, () -> now));
    }

    private List<ActivityMinute> minutes() {
        return List.copyOf(await(store.since(NOON)));
    }

    @Test
    void nothingIsWrittenWhileNothingIsDone() {
        one.record();
        one.metrics().created(1);
        one.record();
        var written =
                db.row("SELECT xmin::text AS version FROM activity_minutes").getString("version");

        one.record();
        now = now.plusSeconds(60);
        one.record();

        assertThat(db.row("SELECT xmin::text AS version FROM activity_minutes").getString("version"))
                .isEqualTo(written);
    }

    @Test
    void aMinuteIsTheSumOfWhatAllProcessesHaveDoneInIt() {
        var other = process();
        one.metrics().created(3);
        one.metrics().fired(1);
        one.record();
        one.metrics().ended(2, 1);
        one.counts().attempted(false, MILLIS);
        one.record();
        other.counts().attempted(true, 1000 * MILLIS);
        other.counts().attempted(false, MILLIS);
        other.counts().saw(new Depth(7, 2));
        other.record();

        var minute = minutes().getFirst();
        assertThat(minute.at()).isEqualTo(NOON);
        assertThat(minute.created()).isEqualTo(4);
        assertThat(minute.ended()).isEqualTo(3);
        assertThat(minute.attempts()).isEqualTo(3);
        assertThat(minute.failures()).isEqualTo(1);
        assertThat(minute.depth()).isEqualTo(new Depth(7, 2));
        assertThat(minute.latencies().percentileMs(0.5)).isBetween(1.0, 1.2);
        assertThat(minute.latencies().percentileMs(1)).isBetween(1000.0, 1100.0);
    }

    @Test
    void whatIsDoneLaterCountsForALaterMinute() {
        one.metrics().created(1);
        one.record();
        now = now.plusSeconds(60);
        one.metrics().created(2);
        one.record();

        assertThat(minutes()).extracting(ActivityMinute::created).containsExactly(1L, 2L);
    }

    @Test
    void whatWaitsIsWrittenInEachMinuteUntilNothingDoes() {
        one.counts().saw(new Depth(5, 0));
        one.record();
        now = now.plusSeconds(60);
        one.record();
        one.counts().saw(Depth.NONE);
        one.record();
        now = now.plusSeconds(60);
        one.record();

        assertThat(minutes()).extracting(minute -> minute.depth().waiting()).containsExactly(5L, 0L);
    }

    @Test
    void oldMinutesAreRemovedInBatches() {
        for (var i = 0; i < 3; i++) {
            one.metrics().created(1);
            one.record();
            now = now.plusSeconds(60);
        }

        assertThat(await(store.removeBefore(NOON.plusSeconds(120), 1))).isEqualTo(1);
        assertThat(await(store.removeBefore(NOON.plusSeconds(120), 10))).isEqualTo(1);
        assertThat(minutes()).extracting(ActivityMinute::at).containsExactly(NOON.plusSeconds(120));
    }
}
