package io.taskexec.scheduler;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.Uuid7;
import io.taskexec.model.job.SchedulePolicy.Overlap;
import io.taskexec.model.job.TickId;
import io.taskexec.schedule.Schedules;
import io.taskexec.store.job.LedgerStore.Late;
import io.taskexec.store.job.NewJob.Result;
import io.taskexec.store.job.TickStore.Advance;
import io.taskexec.store.job.TickStore.Due;
import io.taskexec.testing.HeldTransaction;
import io.taskexec.testing.NeedsOwnServer;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Changes of one schedule by several at once. */
@NeedsOwnServer("It asks PostgreSQL who waits for whom.")
class ScheduleRacesTest {
    private static final int CLIENTS = 10;
    private static final int ROUNDS = 20;
    private static final String FOR_A_WHILE = "UPDATE schedules SET jitter_ms = jitter_ms WHERE job_id = $1";

    private static ScheduleBed bed;

    private final Instant minute = Instant.now().truncatedTo(ChronoUnit.MINUTES);
    private final Instant later = minute.plus(Duration.ofHours(1));

    @BeforeAll
    static void open() {
        bed = new ScheduleBed();
    }

    @AfterAll
    static void close() {
        bed.close();
    }

    @BeforeEach
    void clear() {
        bed.clear();
    }

    private Uni<@Nullable Result> replace(UUID old, UUID id) {
        return bed.store.replace(old, id, _ -> bed.minutely().as(id, later));
    }

    private Uni<@Nullable Result> replace(UUID old) {
        return replace(old, Uuid7.next());
    }

    /** What an update does, but for the new version itself. */
    private static void end(HeldTransaction update, UUID job, UUID successor) {
        var _ = update.run("UPDATE schedules SET next_run_at = NULL, ended_at = now() WHERE job_id = $1", job);
        var _ = update.run("UPDATE jobs SET retired_at = now(), replaced_by_id = $2 WHERE job_id = $1", job, successor);
    }

    private static long inForce(UUID version) {
        return bed.db.number("""
                SELECT count(*) FROM schedules o JOIN schedules s ON s.root_id = o.root_id JOIN jobs j ON j.job_id = \
                s.job_id
                WHERE o.job_id = $1 AND j.retired_at IS NULL
                """, version);
    }

    @Test
    void ofTenUpdatesAtOnceExactlyOneMakesTheNextVersion() {
        for (var round = 0; round < ROUNDS; round++) {
            var old = bed.minutely().due(later);

            var results = await(Uni.join()
                    .all(IntStream.range(0, CLIENTS)
                            .mapToObj(_ -> replace(old).map(result -> result instanceof Result.Created))
                            .toList())
                    .andFailFast());

            assertThat(results).as("round " + round).containsOnlyOnce(true);
            assertThat(inForce(old)).isEqualTo(1);
        }
    }

    @Test
    void anUpdateThatHadToWaitForAnotherOneFindsItsVersionReplaced() throws InterruptedException {
        var old = bed.minutely().due(later);
        try (var other = HeldTransaction.on(bed.db)) {
            end(other, old, Uuid7.next());
            var update = other.blocks(replace(old));
            other.commit();

            assertThat(update.join()).isNull();
        }
        assertThat(bed.db.number("SELECT count(*) FROM jobs")).isEqualTo(1);
    }

    @Test
    void whatHadToWaitForAnUpdateChangesNothingOfTheVersionThatItReplaced() throws InterruptedException {
        var old = bed.minutely().due(later);
        try (var update = HeldTransaction.on(bed.db)) {
            end(update, old, Uuid7.next());
            var pause = update.blocks(bed.control.pause(old, null, null));
            var resume = bed.control.resume(old).subscribeAsCompletionStage();
            var trigger = bed.control.fire(old, Uuid7.next()).subscribeAsCompletionStage();
            var cancellation = bed.cancelling.retire(old).subscribeAsCompletionStage();
            update.commit();

            assertThat(pause.join()).isFalse();
            assertThat(resume.join()).isFalse();
            assertThat(trigger.join()).isFalse();
            assertThat(cancellation.join()).isFalse();
        }
        assertThat(bed.db.number("SELECT count(*) FROM pauses")).isZero();
        assertThat(bed.live(old)).isEmpty();
    }

    @Test
    void aTriggerAndABackfillThatHadToWaitForACancellationFireNothing() throws InterruptedException {
        var job = bed.minutely().due(later);
        try (var cancellation = HeldTransaction.on(bed.db)) {
            var _ = cancellation.run("UPDATE jobs SET retired_at = now() WHERE job_id = $1", job);
            var trigger = cancellation.blocks(bed.control.fire(job, Uuid7.next()));
            var late = new Late(minute, TickId.of(job, minute));
            var backfill = bed.ledger.backfill(job, List.of(late)).subscribeAsCompletionStage();
            cancellation.commit();

            assertThat(trigger.join()).isFalse();
            assertThat(backfill.join()).isNull();
        }
        assertThat(bed.live(job)).isEmpty();
        assertThat(bed.outcomes(job)).isEmpty();
    }

    @Test
    void anUpdateThatHadToWaitForACancellationMakesNoVersion() throws InterruptedException {
        var job = bed.minutely().due(later);
        try (var cancellation = HeldTransaction.on(bed.db)) {
            var _ = cancellation.run(
                    "UPDATE schedules SET next_run_at = NULL, ended_at = now() WHERE job_id = $1", job);
            var _ = cancellation.run("UPDATE jobs SET retired_at = now() WHERE job_id = $1", job);
            var update = cancellation.blocks(replace(job));
            cancellation.commit();

            assertThat(update.join()).isNull();
        }
        assertThat(inForce(job)).isZero();
    }

    @Test
    void afterACancellationThatSucceededNoVersionIsInForceWhoeverUpdatedMeanwhile() {
        for (var round = 0; round < ROUNDS; round++) {
            var job = bed.minutely().due(later);

            var results = await(Uni.join()
                    .all(IntStream.range(0, CLIENTS)
                            .mapToObj(i -> i % 2 == 0
                                    ? bed.cancelling.retire(job)
                                    : replace(job).map(result -> result instanceof Result.Created))
                            .toList())
                    .andFailFast());

            var cancelled = IntStream.range(0, CLIENTS)
                    .filter(i -> i % 2 == 0)
                    .mapToObj(results::get)
                    .toList();
            var updates = IntStream.range(0, CLIENTS)
                    .filter(i -> i % 2 == 1 && results.get(i))
                    .count();
            assertThat(cancelled).as("round " + round).containsOnly(updates == 0);
            assertThat(inForce(job)).isEqualTo(updates).isLessThanOrEqualTo(1);
        }
    }

    private static Uni<Boolean> fire() {
        return bed.tickStore
                .due(10, false)
                .map(due -> plans(due.readable()))
                .chain(advances -> advances.isEmpty()
                        ? Uni.createFrom().item(true)
                        : bed.tickStore.advance(advances, "test").replaceWith(true));
    }

    @Test
    void tenClientsThatCancelUpdateAndFireLateTicksOfAllVersionsKeepEachOtherFromNothing() {
        for (var round = 0; round < ROUNDS; round++) {
            var first = bed.minutely().due(minute.minus(Duration.ofMinutes(4)));
            var second = Uuid7.next();
            var current = Uuid7.next();
            await(bed.store.replace(
                    first, second, _ -> bed.minutely().as(second, minute.minus(Duration.ofMinutes(2)))));
            await(replace(second, current));

            var results = await(Uni.join()
                    .all(IntStream.range(0, CLIENTS)
                            .mapToObj(client -> switch (client % 3) {
                                case 0 -> bed.cancelling.retire(current);
                                case 1 -> replace(current).map(result -> result instanceof Result.Created);
                                default -> fire();
                            })
                            .toList())
                    .andFailFast());

            var isUpdated = IntStream.range(0, CLIENTS).filter(i -> i % 3 == 1).anyMatch(results::get);
            assertThat(results.getFirst()).as("round " + round).isNotEqualTo(isUpdated);
            if (!isUpdated) {
                bed.runUntilNothingIsDue();
                assertThat(List.of(first, second, current))
                        .as("round " + round)
                        .allSatisfy(
                                version -> assertThat(bed.nextRunAt(version)).isNull());
            }
        }
    }

    @Test
    void aCancellationOfAVersionThatWasReplacedChangesNothing() {
        var old = bed.minutely().due(minute);
        var next = Uuid7.next();
        assertThat(await(replace(old, next))).isInstanceOf(Result.Created.class);

        assertThat(await(bed.cancelling.retire(old))).isFalse();

        assertThat(bed.nextRunAt(old)).isEqualTo(minute);
        assertThat(await(bed.cancelling.retire(next))).isTrue();
        assertThat(await(bed.cancelling.retire(next))).isTrue();
    }

    @Test
    void aVersionHasOneSuccessorWhateverAnotherProgramHasMade() {
        var old = bed.minutely().due(later);
        var other = bed.minutely().due(later);
        bed.db.execute("UPDATE schedules SET replaces_id = $1 WHERE job_id = $2", old, other);

        assertThat(await(replace(old))).isNull();

        assertThat(bed.db.number("SELECT count(*) FROM jobs")).isEqualTo(2);
    }

    @Test
    void anUpdateWhoseAnswerWasLostIsNotTakenForAnotherOne() {
        var old = bed.minutely().due(later);
        var id = Uuid7.next();

        assertThat(await(replace(old, id))).isInstanceOf(Result.Created.class);
        assertThat(await(replace(old, id))).isInstanceOf(Result.Created.class);

        assertThat(bed.db.number("SELECT count(*) FROM jobs")).isEqualTo(2);
    }

    /** Its transaction began before that tick. */
    @Test
    void aTickThatFiredWhileAnUpdateWaitedIsNotOneOfTheNextVersionToo() throws InterruptedException {
        var old = bed.minutely().due(minute);
        var fired = minute.plus(Duration.ofMinutes(1));
        var id = Uuid7.next();
        try (var scheduler = HeldTransaction.on(bed.db)) {
            var _ = scheduler.run(
                    "UPDATE schedules SET last_tick_at = $2, next_run_at = $3 WHERE job_id = $1",
                    old,
                    fired.atOffset(ZoneOffset.UTC),
                    later.atOffset(ZoneOffset.UTC));
            var update = scheduler.blocks(bed.store.replace(old, id, current -> {
                assertThat(current.now()).isEqualTo(fired);
                return bed.minutely().as(id, fired.plus(Duration.ofMinutes(1)));
            }));
            scheduler.commit();

            assertThat(update.join()).isInstanceOf(Result.Created.class);
        }
        var justAfter = fired.plusNanos(1000);
        assertThat(Objects.requireNonNull(await(bed.ledger.extent(id))).from()).isEqualTo(justAfter);
        assertThat(Objects.requireNonNull(await(bed.ledger.extent(old))).until())
                .isEqualTo(justAfter);
    }

    @CanIgnoreReturnValue
    private static int advance(List<Due> due) {
        return await(bed.tickStore.advance(plans(due), "test")).moved().size();
    }

    private static List<Advance> plans(List<Due> due) {
        return due.stream()
                .map(one -> TickPlan.of(
                        one, Schedules.of(one.timetable(), one.policy().startsAt(), TickId.seed(one.rootId())), 1000))
                .sorted(Comparator.comparing(Advance::jobId))
                .toList();
    }

    @Test
    void ticksThatWerePlannedBeforeAnUpdateArePlannedAnew() {
        var old = bed.minutely().due(minute.minus(Duration.ofMinutes(3)));
        var planned = await(bed.tickStore.due(10, false)).readable();
        var id = Uuid7.next();
        assertThat(await(bed.store.replace(
                        old, id, current -> bed.minutely().as(id, current.now().plusSeconds(60)))))
                .isInstanceOf(Result.Created.class);

        assertThat(advance(planned)).isZero();

        bed.runUntilNothingIsDue();
        assertThat(bed.nextRunAt(old)).isNull();
        assertThat(bed.outcomes(old)).hasSizeBetween(4, 5).containsOnly("FIRED");
    }

    /** A batch that takes longer than the statement timeout would otherwise be repeated unchanged. */
    @Test
    void afterAFailureFewerTicksAreDecidedAboutAtOnce() {
        var ticks = "SELECT count(*) FROM ticks";
        var _ = bed.minutely().due(minute.minus(Duration.ofDays(10)));
        bed.db.execute("ALTER TABLE ticks RENAME TO ticks_elsewhere");
        assertThatThrownBy(bed::runOnce).isNotNull();
        bed.db.execute("ALTER TABLE ticks_elsewhere RENAME TO ticks");

        var _ = bed.runOnce();

        assertThat(bed.db.number(ticks)).isEqualTo(5_000);
        bed.runUntilNothingIsDue();
        assertThat(bed.db.number(ticks)).isGreaterThanOrEqualTo(14_400);
    }

    @Test
    void aTickThatBeganToWaitBehindACancellationIsInTheLedger() throws InterruptedException {
        var job = bed.minutely().overlap(Overlap.BUFFER_ONE).due(later);
        try (var scheduler = HeldTransaction.on(bed.db)) {
            var _ = scheduler.run(
                    "UPDATE schedules SET buffered_tick = $2 WHERE job_id = $1", job, minute.atOffset(ZoneOffset.UTC));
            var cancellation = scheduler.blocks(bed.cancelling.retire(job));
            scheduler.commit();

            assertThat(cancellation.join()).isTrue();
        }
        assertThat(bed.outcomes(job)).containsExactly("SKIPPED_OVERLAP");
    }

    @Test
    void aTickThatABackfillHasFiredAndThatHasEndedDoesNotFireAgain() {
        var due = bed.minutely().due(minute);
        var buffered = bed.minutely().overlap(Overlap.BUFFER_ONE).due(later);
        var tick = minute.atOffset(ZoneOffset.UTC);
        bed.db.execute("UPDATE schedules SET buffered_tick = $2 WHERE job_id = $1", buffered, tick);
        for (var job : List.of(due, buffered)) {
            assertThat(await(bed.ledger.backfill(job, List.of(new Late(minute, TickId.of(job, minute))))))
                    .isEqualTo(1);
            bed.endExecutions(job);
        }

        bed.runUntilNothingIsDue();
        var _ = bed.releaseBuffered();

        assertThat(bed.live(due)).doesNotContain(minute);
        assertThat(bed.live(buffered)).isEmpty();
        assertThat(bed.db.number("SELECT count(*) FROM schedules WHERE buffered_tick IS NOT NULL"))
                .isZero();
    }

    @Test
    void anUpdateThatHadToWaitForSomethingElseHappens() throws InterruptedException {
        var job = bed.minutely().due(later);
        try (var other = HeldTransaction.on(bed.db)) {
            var _ = other.run(FOR_A_WHILE, job);
            var update = other.blocks(replace(job));
            other.commit();

            assertThat(update.join()).isInstanceOf(Result.Created.class);
        }
    }

    @Test
    void aPauseThatHadToWaitForATickBeginsOnceTheTickIsDecided() throws InterruptedException {
        var job = bed.minutely().due(later);
        try (var tick = HeldTransaction.on(bed.db)) {
            var _ = tick.run(FOR_A_WHILE, job);
            var pause = tick.blocks(bed.control.pause(job, null, null));
            var decided = bed.db.row("SELECT clock_timestamp() AS now").getOffsetDateTime("now");
            tick.commit();

            assertThat(pause.join()).isTrue();
            assertThat(bed.db.number("SELECT count(*) FROM pauses WHERE paused_at >= $1", decided))
                    .isEqualTo(1);
        }
    }

    /** A scheduler may have planned without the pause all ticks until then. */
    @Test
    void aPauseThatHadToWaitForWhatChangedNothingBeginsWhenItHasTheLock() throws InterruptedException {
        var job = bed.minutely().due(later);
        try (var other = HeldTransaction.on(bed.db)) {
            var _ = other.run("SELECT job_id FROM schedules WHERE job_id = $1 FOR UPDATE", job);
            var pause = other.blocks(bed.control.pause(job, null, null));
            var free = bed.db.row("SELECT clock_timestamp() AS now").getOffsetDateTime("now");
            other.commit();

            assertThat(pause.join()).isTrue();
            assertThat(bed.db.number("SELECT count(*) FROM pauses WHERE paused_at >= $1", free))
                    .isEqualTo(1);
        }
    }
}
