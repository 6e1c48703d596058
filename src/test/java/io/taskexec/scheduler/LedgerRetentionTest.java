package io.taskexec.scheduler;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.job.SchedulePolicy.Overlap;
import io.taskexec.model.job.TickId;
import io.taskexec.store.job.LedgerStore;
import io.taskexec.store.job.LedgerStore.Late;
import io.taskexec.store.sql.Database;
import io.taskexec.testing.HeldTransaction;
import io.taskexec.testing.NeedsOwnServer;
import io.vertx.mutiny.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the removal of old ticks while schedulers move their schedules on. */
@NeedsOwnServer("It looks at who waits for a lock, and chooses plans of PostgreSQL.")
class LedgerRetentionTest {
    @RegisterExtension
    private static final ScheduleBed bed = new ScheduleBed();

    private final Instant hour = Instant.now().truncatedTo(ChronoUnit.HOURS);
    private final Instant end = hour.minus(Duration.ofDays(30));

    private UUID withOldTicks() {
        var job = bed.every(Duration.ofHours(1)).due(hour.plus(Duration.ofHours(1)));
        var _ = bed.db.execute("""
                INSERT INTO ticks (job_id, scheduled_at, outcome, lateness_ms)
                SELECT $1::uuid, $2::timestamptz - i * interval '1 hour', 'MISSED', 0 FROM generate_series(1, 3) AS i
                """, job, end.atOffset(ZoneOffset.UTC));
        return job;
    }

    /** The plan for any parameters, to which a process comes after some removals. */
    private static final String KEPT_PLAN = """
            SELECT set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true),
              set_config('enable_bitmapscan', 'off', true), set_config('enable_hashjoin', 'off', true)
            """;

    /** As for a small table in a session without the settings of the program: rows are read as they lie. */
    private static final String SMALL_TABLE = """
            SELECT set_config('enable_seqscan', 'on', true), set_config('enable_bitmapscan', 'off', true),
              set_config('enable_indexscan', 'off', true), set_config('enable_indexonlyscan', 'off', true)
            """;

    private Uni<Boolean> removal(String settings) {
        var parameters = Tuple.of(new UUID(0, 0), end.atOffset(ZoneOffset.UTC), 100L, 100L);
        return bed.db
                .database()
                .withTransaction(transaction -> Database.on(transaction, settings, Tuple.tuple())
                        .chain(() -> Database.on(transaction, LedgerStore.DELETE_OLD, parameters))
                        .replaceWith(true));
    }

    /** Where PostgreSQL 18.0 and 18.1 dropped schedules out of a join; with 18.4 it holds for that too. */
    @Test
    void ticksOfSchedulesThatAreMovedOnMeanwhileAreNotRemovedWithoutANote() throws Exception {
        var jobs = Stream.generate(this::withOldTicks).limit(5).sorted().toList();
        try (var scheduler = HeldTransaction.on(bed.db)) {
            for (var job : jobs.subList(1, 4)) {
                assertThat(scheduler.run("UPDATE schedules SET last_tick_at = now() WHERE job_id = $1", job))
                        .isEqualTo(1);
            }
            var removal = scheduler.blocks(removal(KEPT_PLAN));
            scheduler.commit();
            assertThat(removal.get(10, TimeUnit.SECONDS)).isTrue();
        }

        assertThat(bed.db.number("SELECT count(*) FROM ticks")).isZero();
        assertThat(bed.db.number("SELECT count(*) FROM schedules WHERE ledger_from = $1", end.atOffset(ZoneOffset.UTC)))
                .isEqualTo(5);
    }

    @Test
    void linesOfAScheduleWhoseLedgerHasNotMovedStay() {
        var passedOver = withOldTicks();
        var moved = withOldTicks();
        var _ = bed.db.execute("""
                CREATE FUNCTION pass_over() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$
                """);
        try {
            var _ = bed.db.execute("""
                    CREATE TRIGGER passes_over BEFORE UPDATE ON schedules FOR EACH ROW
                    WHEN (OLD.job_id = '%s') EXECUTE FUNCTION pass_over()
                    """.formatted(passedOver));
            assertThat(await(removal(KEPT_PLAN))).isTrue();
        } finally {
            var _ = bed.db.execute("DROP FUNCTION pass_over CASCADE");
        }

        assertThat(bed.db.number("SELECT count(*) FROM ticks WHERE job_id = $1", passedOver))
                .isEqualTo(3);
        assertThat(bed.db.number("SELECT count(*) FROM ticks WHERE job_id = $1", moved))
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void removalsAndSchedulersDoNotWaitForEachOtherInACircle(boolean isSmallTable) throws Exception {
        var jobs = Stream.generate(this::withOldTicks).limit(3).sorted().toList();
        // The new version of the first one lies behind the others.
        var _ = bed.db.execute("UPDATE schedules SET last_tick_at = now() WHERE job_id = $1", jobs.getFirst());
        try (var scheduler = HeldTransaction.on(bed.db)) {
            assertThat(scheduler.run("UPDATE schedules SET last_tick_at = now() WHERE job_id = $1", jobs.getFirst()))
                    .isEqualTo(1);
            var removal = scheduler.blocks(removal(isSmallTable ? SMALL_TABLE : KEPT_PLAN));
            for (var job : jobs) {
                assertThat(scheduler.run("UPDATE schedules SET last_tick_at = now() WHERE job_id = $1", job))
                        .isEqualTo(1);
                assertThat(scheduler.run("DELETE FROM ticks WHERE job_id = $1 AND scheduled_at < now()", job))
                        .isEqualTo(3);
            }
            scheduler.commit();
            assertThat(removal.get(10, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void aBackfillThatHadToWaitForARemovalDoesNotFireWhatThisHasRemoved() throws Exception {
        var job = bed.every(Duration.ofHours(1)).due(hour.plus(Duration.ofHours(1)));
        var tick = end.minus(Duration.ofHours(1));
        var id = TickId.of(job, tick);
        var _ = bed.db.execute("UPDATE jobs SET created_at = $2 WHERE job_id = $1", job, utc(tick));
        var _ = bed.db.execute("INSERT INTO ticks VALUES ($1, $2, 'FIRED', $3, 0)", job, utc(tick), id);
        try (var removal = HeldTransaction.on(bed.db)) {
            var _ = removal.run(LedgerStore.DELETE_OLD, new UUID(0, 0), utc(end), 100L, 100L);
            var backfill = removal.blocks(bed.ledger.backfill(job, List.of(new Late(tick, id))));
            removal.commit();

            assertThat(backfill.get(10, TimeUnit.SECONDS)).isZero();
        }

        assertThat(bed.live(job)).isEmpty();
        assertThat(bed.outcomes(job)).isEmpty();
    }

    @Test
    void aLineThatABackfillMakesOneOfTodayWhileARemovalWaitsForItStays() throws Exception {
        var job = withOldTicks();
        var tick = end.minus(Duration.ofHours(2));
        try (var backfill = HeldTransaction.on(bed.db)) {
            var _ = backfill.run("SELECT job_id FROM schedules WHERE job_id = $1 FOR UPDATE", job);
            assertThat(backfill.run("""
                            UPDATE ticks SET outcome = 'FIRED', execution_id = $3,
                              lateness_ms = extract(epoch FROM now() - scheduled_at) * 1000
                            WHERE job_id = $1 AND scheduled_at = $2
                            """, job, utc(tick), TickId.of(job, tick))).isEqualTo(1);
            var removal = backfill.blocks(removal(KEPT_PLAN));
            backfill.commit();
            assertThat(removal.get(10, TimeUnit.SECONDS)).isTrue();
        }

        assertThat(bed.outcomes(job)).containsExactly("FIRED");
    }

    @Test
    void aTickThatABackfillHasFiredBeforeItsTurnDoesNotFireAgainWhenItIsOldByThen() {
        var hourly = bed.every(Duration.ofHours(1));
        var undecided = hourly.due(hour);
        var buffered = hourly.overlap(Overlap.BUFFER_ONE).due(hour.plus(Duration.ofHours(1)));
        var _ = bed.db.execute("UPDATE schedules SET buffered_tick = $2 WHERE job_id = $1", buffered, utc(hour));
        for (var job : List.of(undecided, buffered)) {
            assertThat(await(bed.ledger.backfill(job, List.of(new Late(hour, TickId.of(job, hour))))))
                    .isEqualTo(1);
            bed.endExecutions(job);
        }

        assertThat(removedAfterAMonth()).isZero();
        bed.runUntilNothingIsDue();
        var _ = bed.releaseBuffered();

        assertThat(bed.live(undecided)).doesNotContain(hour);
        assertThat(bed.live(buffered)).doesNotContain(hour);
        assertThat(removedAfterAMonth()).isEqualTo(2);
    }

    private int removedAfterAMonth() {
        return await(bed.ledger.deleteBefore(hour.plus(Duration.ofDays(30)), new UUID(0, 0), 100, 100))
                .removed();
    }

    private static OffsetDateTime utc(Instant time) {
        return time.atOffset(ZoneOffset.UTC);
    }

    private Uni<Boolean> moveOn(List<UUID> jobs) {
        return bed.db.database().withTransaction(transaction -> {
            var moved = Uni.createFrom().item(true);
            for (var job : jobs) {
                moved = moved.chain(() -> Database.on(
                                transaction,
                                "UPDATE schedules SET last_tick_at = now() WHERE job_id = $1",
                                Tuple.of(job)))
                        .replaceWith(true);
            }
            return moved;
        });
    }

    @Test
    void ofTenAtOnceAllRemovalsAndSchedulersEndAndEachRemovalIsNoted() {
        var jobs = Stream.generate(this::withOldTicks).limit(5).sorted().toList();

        var ended = await(Uni.join()
                .all(IntStream.range(0, 10)
                        .mapToObj(i -> i % 2 == 0 ? removal(KEPT_PLAN) : moveOn(jobs))
                        .toList())
                .andFailFast());

        assertThat(ended).hasSize(10).doesNotContain(false);
        assertThat(bed.db.number("SELECT count(*) FROM ticks")).isZero();
        assertThat(bed.db.number("SELECT count(*) FROM schedules WHERE ledger_from = $1", end.atOffset(ZoneOffset.UTC)))
                .isEqualTo(5);
    }
}
