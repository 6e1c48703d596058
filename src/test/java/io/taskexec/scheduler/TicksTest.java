package io.taskexec.scheduler;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.Uuid7;
import io.taskexec.store.CancelSignal;
import io.taskexec.store.CancelStore;
import io.taskexec.store.DueSignal;
import io.taskexec.store.IdempotencyKeyStore;
import io.taskexec.store.NewJob;
import io.taskexec.store.NewJob.Result;
import io.taskexec.store.ScheduleStore;
import io.taskexec.store.ScheduleStore.NewSchedule;
import io.taskexec.testing.Rows;
import io.taskexec.testing.TestDb;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TicksTest {
    private static TestDb db;
    private static Rows rows;
    private static ScheduleStore store;
    private static Ticks duty;

    private final Instant minute = Instant.now().truncatedTo(ChronoUnit.MINUTES);

    @BeforeAll
    static void open() {
        db = TestDb.fresh();
        rows = new Rows(db);
        rows.endpoint(ENDPOINT).insert();
        store = new ScheduleStore(db.database(), new IdempotencyKeyStore(db.database(), () -> 24), new DueSignal());
        duty = new Ticks(store, new TestConfig(30));
    }

    @AfterAll
    static void close() {
        db.close();
    }

    @BeforeEach
    void clear() {
        rows.clearJobs();
        var _ = db.execute("DELETE FROM schedules");
    }

    private static UUID schedule(String expression, Instant next, @Nullable Instant end) {
        var id = Uuid7.next();
        assertThat(await(store.create(schedule(id, expression, next, end)))).isInstanceOf(Result.Created.class);
        return id;
    }

    private static NewSchedule schedule(UUID id, String expression, Instant next, @Nullable Instant end) {
        var job = new NewJob(
                id, ENDPOINT, 1, 0, "CRON", null, Duration.ZERO, 0, 4, Set.of(), "", UUID.randomUUID(), null);
        return new NewSchedule(job, expression, "UTC", next, end, next);
    }

    private static void runUntilNothingIsDue() {
        for (var i = 0; i < 100; i++) {
            if (!await(duty.runOnce()).isZero()) {
                return;
            }
        }
        throw new AssertionError("there is always more to do");
    }

    private static List<Instant> fired(UUID job) {
        return db.rows("SELECT run_at FROM exec_live WHERE job_id = $1 ORDER BY run_at", job).stream()
                .map(row -> row.getOffsetDateTime(0).toInstant())
                .toList();
    }

    private static @Nullable Instant nextRunAt(UUID job) {
        var next = db.row("SELECT next_run_at FROM schedules WHERE job_id = $1", job)
                .getOffsetDateTime(0);
        return next == null ? null : next.toInstant();
    }

    @Test
    void aTickThatIsDueBecomesOneExecutionAndTheScheduleMovesOn() {
        var job = schedule("* * * * *", minute, null);

        runUntilNothingIsDue();

        assertThat(fired(job)).first().isEqualTo(minute);
        assertThat(nextRunAt(job)).isAfter(minute);
        assertThat(db.number("SELECT count(*) FROM exec_live WHERE visible_at > now()"))
                .isZero();
    }

    @Test
    void aTickThatIsNotDueDoesNotFireAndIsWaitedFor() {
        var job = schedule("* * * * *", Instant.now().plus(Duration.ofMillis(700)), null);

        var delay = await(duty.runOnce());

        assertThat(fired(job)).isEmpty();
        assertThat(delay).isBetween(Duration.ofMillis(1), Duration.ofMillis(701));
    }

    @Test
    void ticksThatWereMissedAreMadeUpForOneByOne() {
        var job = schedule("* * * * *", minute.minus(Duration.ofHours(4)), null);

        runUntilNothingIsDue();

        var ticks = fired(job);
        assertThat(ticks).hasSizeBetween(241, 242).isSorted().doesNotHaveDuplicates();
        assertThat(ticks).first().isEqualTo(minute.minus(Duration.ofHours(4)));
    }

    @Test
    void twoSchedulersAtOnceFireEveryTickOnce() throws InterruptedException {
        var jobs = IntStream.range(0, 20)
                .mapToObj(_ -> schedule("* * * * *", minute.minus(Duration.ofHours(2)), null))
                .toList();

        var schedulers = IntStream.range(0, 3)
                .mapToObj(_ -> Thread.ofVirtual().start(TicksTest::runUntilNothingIsDue))
                .toList();
        for (var scheduler : schedulers) {
            scheduler.join();
        }

        assertThat(jobs)
                .allSatisfy(
                        job -> assertThat(fired(job)).hasSizeBetween(121, 122).doesNotHaveDuplicates());
    }

    @Test
    void aScheduleEndsBeforeItsEndAndIsRetired() {
        var job = schedule("* * * * *", minute.minus(Duration.ofMinutes(5)), minute.minus(Duration.ofMinutes(2)));

        runUntilNothingIsDue();

        assertThat(fired(job))
                .containsExactly(
                        minute.minus(Duration.ofMinutes(5)),
                        minute.minus(Duration.ofMinutes(4)),
                        minute.minus(Duration.ofMinutes(3)));
        assertThat(nextRunAt(job)).isNull();
        assertThat(db.number("SELECT count(*) FROM jobs WHERE retired_at IS NOT NULL"))
                .isEqualTo(1);
    }

    @Test
    void aScheduleThatCannotBeReadIsEndedAndTheOthersGoOn() {
        var broken = schedule("no cron", minute.minus(Duration.ofHours(1)), null);
        var sound = schedule("* * * * *", minute, null);

        runUntilNothingIsDue();

        assertThat(fired(broken)).isEmpty();
        assertThat(nextRunAt(broken)).isNull();
        assertThat(fired(sound)).isNotEmpty();
    }

    @Test
    void anUpdateLeavesOutAndDoublesNoTickHoweverLateTheSchedulerIs() {
        var old = schedule("* * * * *", minute.minus(Duration.ofMinutes(3)), null);
        var id = Uuid7.next();

        var result = await(
                store.replace(old, current -> schedule(id, "* * * * *", minute.plus(Duration.ofMinutes(1)), null)));
        runUntilNothingIsDue();

        assertThat(result).isInstanceOf(Result.Created.class);
        assertThat(fired(old)).hasSizeBetween(4, 5);
        assertThat(fired(id)).allMatch(tick -> tick.isAfter(minute)).hasSizeLessThanOrEqualTo(1);
        assertThat(nextRunAt(old)).isNull();
        assertThat(db.row("SELECT version, previous_version_id FROM jobs WHERE job_id = $1", id)
                        .getUUID("previous_version_id"))
                .isEqualTo(old);
    }

    @Test
    void aRetiredVersionCannotBeReplacedAgain() {
        var old = schedule("* * * * *", minute.plus(Duration.ofHours(1)), null);
        var first = await(store.replace(old, _ -> schedule(Uuid7.next(), "0 * * * *", minute, null)));

        var second = await(store.replace(old, _ -> schedule(Uuid7.next(), "0 * * * *", minute, null)));

        assertThat(first).isInstanceOf(Result.Created.class);
        assertThat(second).isNull();
        assertThat(db.number("SELECT count(*) FROM jobs")).isEqualTo(2);
    }

    @Test
    void aCancelledScheduleFiresNoMore() {
        var job = schedule("* * * * *", minute.minus(Duration.ofMinutes(3)), null);

        await(new CancelStore(db.database(), new CancelSignal()).retire(job));
        runUntilNothingIsDue();

        assertThat(fired(job)).isEmpty();
    }
}
