package io.taskexec.scheduler;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.Uuid7;
import io.taskexec.model.job.TickId;
import io.taskexec.store.job.LedgerStore;
import io.taskexec.store.job.LedgerStore.Late;
import io.taskexec.store.job.NewJob.Result;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.TestJob;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests what is asked for again of schedules, by a caller or since its answer was lost. */
class RepeatedFiringTest {
    private static final Duration RETENTION = Duration.ofDays(30);

    @RegisterExtension
    private static final ScheduleBed bed = new ScheduleBed();

    private final Instant hour = Instant.now().truncatedTo(ChronoUnit.HOURS);
    private final Instant longAgo = hour.minus(RETENTION.multipliedBy(2));

    private UUID hourly() {
        return bed.every(Duration.ofHours(1)).due(hour.plus(Duration.ofHours(1)));
    }

    private static void cancel(UUID execution) {
        assertThat(await(bed.cancelling.cancel(execution, false))).isTrue();
    }

    private List<Late> old(UUID job, int count) {
        return IntStream.range(0, count)
                .mapToObj(n -> longAgo.plus(Duration.ofHours(n)))
                .map(at -> new Late(at, TickId.of(job, at)))
                .toList();
    }

    /** Fires the tick of long ago, and ends its execution. */
    private List<Late> backfilled(UUID job) {
        var tick = new Late(longAgo, TickId.of(job, longAgo));
        assertThat(await(bed.ledger.backfill(job, List.of(tick)))).isEqualTo(1);
        cancel(tick.executionId());
        return List.of(tick);
    }

    @Test
    void anOldTickThatABackfillHasFiredStaysInTheLedgerAsLongAsOthers() {
        var job = hourly();
        var ticks = backfilled(job);
        var id = new UUID(0, 0);

        assertThat(await(bed.ledger.deleteBefore(Instant.now().minus(RETENTION), id, 100, 100))
                        .removed())
                .isZero();
        assertThat(await(bed.ledger.backfill(job, ticks))).isZero();
        assertThat(bed.outcomes(job)).containsExactly("FIRED");

        assertThat(await(bed.ledger.deleteBefore(Instant.now().plus(RETENTION), id, 100, 100))
                        .removed())
                .isEqualTo(1);
    }

    @Test
    void aTickWhoseExecutionIsKeptLongerThanItsLineDoesNotFireAgain() {
        var job = hourly();
        var ticks = backfilled(job);
        bed.db.execute("DELETE FROM ticks WHERE job_id = $1", job);

        assertThat(await(bed.ledger.backfill(job, ticks))).isZero();

        assertThat(bed.live(job)).isEmpty();
        assertThat(bed.outcomes(job)).isEmpty();
    }

    @Test
    void ofTenBackfillsAtOnceBesideTheRemovalOfOldTicksEachTickFiresOnce() {
        var job = hourly();
        var ticks = old(job, 20);

        var backfills = IntStream.range(0, 10)
                .mapToObj(_ -> bed.ledger.backfill(job, ticks).subscribeAsCompletionStage())
                .toList();
        var removed = await(bed.ledger.deleteBefore(Instant.now().minus(RETENTION), new UUID(0, 0), 100, 100));

        assertThat(backfills.stream().mapToInt(CompletableFuture::join).sum()).isEqualTo(20);
        assertThat(removed.removed()).isZero();
        assertThat(bed.live(job))
                .containsExactlyElementsOf(ticks.stream().map(Late::at).toList());
    }

    @Test
    void aBackfillFiresNoTickThatIsStillToComeByTheClockOfTheDatabase() {
        var job = hourly();
        var past = new Late(hour, TickId.of(job, hour));
        var next = hour.plus(Duration.ofHours(1));

        assertThat(await(bed.ledger.backfill(job, List.of(past, new Late(next, TickId.of(job, next))))))
                .isEqualTo(1);

        assertThat(bed.live(job)).containsExactly(hour);
        assertThat(bed.outcomes(job)).containsExactly("FIRED");
    }

    @Test
    void aBackfillWhoseAnswerWasLostSaysWhatItHasFiredAndFiresNothingTwice() {
        var job = hourly();
        var ticks = old(job, 3);
        assertThat(await(bed.ledger.backfill(job, ticks.subList(0, 1)))).isEqualTo(1);
        try (var gate = bed.db.gate()) {
            var ledger = new LedgerStore(bed.db.over(gate), new DueSignal());
            gate.lose("COMMIT");

            assertThat(await(ledger.backfill(job, ticks))).isEqualTo(2);

            assertThat(gate.hasLost()).isTrue();
            assertThat(await(ledger.backfill(job, ticks))).isZero();
            assertThat(bed.live(job)).hasSize(3);
        }
    }

    @Test
    void aBackfillOfWhatIsNoScheduleInForceIsRefused() {
        assertThat(await(bed.ledger.backfill(UUID.randomUUID(), List.of()))).isNull();
    }

    @Test
    void aScheduleThatIsTriggeredTwiceWithOneIdHasOneExecution() {
        var job = hourly();
        var id = Uuid7.next();

        assertThat(await(bed.control.fire(job, id))).isTrue();
        assertThat(await(bed.control.fire(job, id))).isTrue();

        assertThat(bed.live(job)).hasSize(1);
    }

    @Test
    void anExecutionOfATriggerThatHasEndedIsNotMadeAgain() {
        var job = hourly();
        var id = Uuid7.next();
        assertThat(await(bed.control.fire(job, id))).isTrue();
        cancel(id);

        assertThat(await(bed.control.fire(job, id))).isTrue();

        assertThat(bed.live(job)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "nightly"})
    void aScheduleThatIsCreatedTwiceWithOneIdIsOne(String key) {
        var job = new TestJob().trigger("INTERVAL").key(key).made();
        var hourly = bed.every(Duration.ofHours(1));
        var created = hourly.as(job, hour.plus(Duration.ofHours(1)));

        var first = await(bed.store.create(created));

        assertThat(first).isInstanceOf(Result.Created.class);
        assertThat(await(bed.store.create(created))).isEqualTo(first);
        assertThat(bed.db.number("SELECT count(*) FROM schedules")).isEqualTo(1);
        assertThat(bed.db.number("SELECT count(*) FROM jobs")).isEqualTo(1);
    }
}
