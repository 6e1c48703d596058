package io.taskexec.scheduler;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.Uuid7;
import io.taskexec.model.job.SchedulePolicy.Overlap;
import io.taskexec.model.job.TickId;
import io.taskexec.store.job.LedgerStore.Late;
import io.taskexec.store.job.NewJob.Result;
import io.taskexec.store.job.ZoneRulesStore;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests what versions of one schedule that were replaced have to do with the one in force. */
class ScheduleVersionsTest {
    @RegisterExtension
    private static final ScheduleBed bed = new ScheduleBed();

    /** The last tick of each hour. The next one is half an hour away, so that none comes while a test runs. */
    private final Instant hour = Instant.now().minus(Duration.ofMinutes(30)).truncatedTo(ChronoUnit.MINUTES);

    private ScheduleBed.Spec hourly(Overlap overlap) {
        return bed.cron(hour.atOffset(ZoneOffset.UTC).getMinute() + " * * * *", "UTC")
                .overlap(overlap);
    }

    private Instant hoursAgo(int hours) {
        return hour.minus(Duration.ofHours(hours));
    }

    private static UUID replace(UUID old, ScheduleBed.Spec spec, Instant next) {
        var id = Uuid7.next();
        assertThat(await(bed.store.replace(old, id, _ -> spec.as(id, next)))).isInstanceOf(Result.Created.class);
        return id;
    }

    private List<Late> ticks(UUID job, int firstHoursAgo) {
        return IntStream.rangeClosed(0, firstHoursAgo)
                .mapToObj(ago -> new Late(hoursAgo(ago), TickId.of(job, hoursAgo(ago))))
                .toList();
    }

    private static void set(String column, UUID job, Instant time) {
        var table = "created_at".equals(column) ? "jobs" : "schedules";
        var _ = bed.db.execute(
                "UPDATE " + table + " SET " + column + " = $2 WHERE job_id = $1", job, time.atOffset(ZoneOffset.UTC));
    }

    @Test
    void aCancelledScheduleDoesNotFireTicksOfOldVersionsThatWait() {
        var old = hourly(Overlap.BUFFER_ONE).due(hoursAgo(1));
        bed.runUntilNothingIsDue();
        var current = replace(old, hourly(Overlap.BUFFER_ONE), hoursAgo(-1));

        assertThat(await(bed.cancelling.retire(current))).isTrue();
        bed.endExecutions(old);
        var _ = bed.releaseBuffered();

        assertThat(bed.live(old)).isEmpty();
        assertThat(bed.outcomes(old)).containsExactly("FIRED", "SKIPPED_OVERLAP");
    }

    @Test
    void aCancelledScheduleDoesNotFireLateTicksOfOldVersions() {
        var old = hourly(Overlap.ALLOW).due(hoursAgo(3));
        var older = replace(old, hourly(Overlap.ALLOW), hoursAgo(2));
        var current = replace(older, hourly(Overlap.ALLOW), hoursAgo(-1));

        assertThat(await(bed.cancelling.retire(current))).isTrue();
        bed.runUntilNothingIsDue();

        assertThat(bed.live(old)).isEmpty();
        assertThat(bed.live(older)).isEmpty();
        assertThat(bed.db.number("SELECT count(*) FROM schedules WHERE next_run_at IS NOT NULL"))
                .isZero();
    }

    @Test
    void whileATickOfAnOldVersionWaitsNoneOfTheNewOneDoes() {
        var old = hourly(Overlap.BUFFER_ONE).due(hoursAgo(1));
        bed.runUntilNothingIsDue();
        var current = replace(old, bed.minutely().overlap(Overlap.BUFFER_ONE), hour);

        bed.runUntilNothingIsDue();

        assertThat(bed.outcomes(current)).isNotEmpty().containsOnly("SKIPPED_OVERLAP");
        assertThat(bed.db.number("SELECT count(*) FROM schedules WHERE buffered_tick IS NOT NULL"))
                .isEqualTo(1);
    }

    @Test
    void ticksOfTwoVersionsThatWaitFireOneAfterTheOther() {
        var old = hourly(Overlap.BUFFER_ONE).due(hoursAgo(-1));
        var current = replace(old, hourly(Overlap.BUFFER_ONE), hoursAgo(-1));
        set("buffered_tick", old, hoursAgo(1));
        set("buffered_tick", current, hour);

        var _ = bed.releaseBuffered();
        var _ = bed.releaseBuffered();
        assertThat(bed.live(old)).containsExactly(hoursAgo(1));
        assertThat(bed.live(current)).isEmpty();

        bed.endExecutions(old);
        var _ = bed.releaseBuffered();
        assertThat(bed.live(current)).containsExactly(hour);
    }

    @Test
    void lateTicksOfAnOldVersionAreInTheWayOfTheNextOne() {
        var old = hourly(Overlap.SKIP).due(hoursAgo(2));
        var current = replace(old, hourly(Overlap.SKIP), hour);
        set("ended_at", old, hour);

        bed.runUntilNothingIsDue();

        assertThat(bed.outcomes(old)).containsExactly("FIRED", "SKIPPED_OVERLAP");
        assertThat(bed.outcomes(current)).isNotEmpty().containsOnly("SKIPPED_OVERLAP");
    }

    @Test
    void aBackfillDoesNotFireAgainWhatAnOldVersionHasFired() {
        var old = hourly(Overlap.ALLOW).due(hoursAgo(3));
        bed.runUntilNothingIsDue();
        var current = replace(old, hourly(Overlap.ALLOW), hoursAgo(-1));

        assertThat(await(bed.ledger.backfill(current, ticks(current, 5)))).isEqualTo(2);
        assertThat(bed.live(current)).containsExactly(hoursAgo(5), hoursAgo(4));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aBackfillDoesNotFireWhatOneOfAnOldVersionHasFiredAsLongAsTheExecutionIsKept(boolean hasEnded) {
        var old = hourly(Overlap.ALLOW).due(hoursAgo(-1));
        var tick = new Late(hoursAgo(3), TickId.of(old, hoursAgo(3)));
        assertThat(await(bed.ledger.backfill(old, List.of(tick)))).isEqualTo(1);
        if (hasEnded) {
            assertThat(await(bed.cancelling.cancel(tick.executionId(), false))).isTrue();
        }
        var current = replace(old, hourly(Overlap.ALLOW), hoursAgo(-1));
        var later = Instant.now().plus(Duration.ofDays(30));
        assertThat(await(bed.ledger.deleteBefore(later, new UUID(0, 0), 100, 100))
                        .removed())
                .isEqualTo(1);

        assertThat(await(bed.ledger.backfill(current, ticks(current, 4)))).isEqualTo(4);
        assertThat(bed.live(current)).containsExactly(hoursAgo(4), hoursAgo(2), hoursAgo(1), hour);

        bed.endExecutions(old);
        var _ = bed.db.execute("DELETE FROM executions WHERE job_id = $1", old);
        assertThat(await(bed.ledger.backfill(current, ticks(current, 4)))).isEqualTo(1);
    }

    @Test
    void aBackfillDoesNotFireWhatAnOldVersionStillWill() {
        var late = hourly(Overlap.ALLOW).due(hoursAgo(1));
        var second = replace(late, hourly(Overlap.BUFFER_ONE), hoursAgo(-1));
        var current = replace(second, hourly(Overlap.ALLOW), hoursAgo(-1));
        set("buffered_tick", second, hoursAgo(2));

        assertThat(await(bed.ledger.backfill(current, ticks(current, 3)))).isEqualTo(1);
        assertThat(bed.live(current)).containsExactly(hoursAgo(3));

        bed.runUntilNothingIsDue();
        assertThat(bed.live(late)).containsExactly(hoursAgo(1), hour);
    }

    @Test
    void aBackfillDoesNotFireWhatTheLedgerNoLongerKnows() {
        var job = hourly(Overlap.ALLOW).due(hoursAgo(-1));
        set("created_at", job, hoursAgo(4));
        set("ledger_from", job, hoursAgo(2));

        assertThat(await(bed.ledger.backfill(job, ticks(job, 5)))).isEqualTo(4);
        assertThat(bed.live(job)).containsExactly(hoursAgo(5), hoursAgo(2), hoursAgo(1), hour);
    }

    /** An update that waits for the scheduler may be older than the tick that this has decided about. */
    private UUID replacedAfterTick(Instant tick) {
        var old = hourly(Overlap.ALLOW).due(tick.plus(Duration.ofHours(1)));
        set("last_tick_at", old, tick);
        return replace(old, hourly(Overlap.ALLOW), tick.plus(Duration.ofHours(1)));
    }

    @Test
    void aTickThatTheOldVersionHasDecidedAboutIsNotExpectedOfTheNewOne() {
        var current = replacedAfterTick(hoursAgo(-1));

        var extent = Objects.requireNonNull(await(bed.ledger.extent(current)));

        assertThat(extent.from()).isAfter(hoursAgo(-1)).isBefore(hoursAgo(-2));
    }

    @Test
    void aTickThatTheOldVersionHasDecidedAboutDoesNotComeAgainWithNewRulesOfTimeZones() {
        var current = replacedAfterTick(hoursAgo(-1));

        assertThat(await(new ZoneRules(new ZoneRulesStore(bed.db.database()), "2026z").runOnce()))
                .isZero();

        assertThat(bed.nextRunAt(current)).isEqualTo(hoursAgo(-2));
    }

    /** As if that tick had not been due yet when it was computed anew. */
    @Test
    void newRulesOfTimeZonesDoNotMoveTheLastTickOfAVersionThatWasReplacedMeanwhile() {
        var store = new ZoneRulesStore(bed.db.database());
        var old = hourly(Overlap.ALLOW).due(hour);
        var read = await(store.outdated("2026z", 10)).getFirst();
        var current = replace(old, hourly(Overlap.ALLOW), hoursAgo(-1));
        var moved = new ZoneRulesStore.Moved(read.jobId(), read.nextRunAt(), read.endedAt(), hoursAgo(-1));

        await(store.update(List.of(moved), "2026z"));

        assertThat(bed.nextRunAt(old)).isEqualTo(hour);
        bed.runUntilNothingIsDue();
        assertThat(bed.nextRunAt(old)).isNull();
        assertThat(bed.live(old)).containsExactly(hour);
        assertThat(bed.nextRunAt(current)).isEqualTo(hoursAgo(-1));
    }
}
