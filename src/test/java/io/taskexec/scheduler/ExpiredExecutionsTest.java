package io.taskexec.scheduler;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.Uuid7;
import io.taskexec.model.job.SchedulePolicy.Overlap;
import io.taskexec.store.dependency.DependencyReleases;
import io.taskexec.store.execution.ExpiryStore;
import io.taskexec.store.execution.ReplayStore;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.job.LedgerStore.Late;
import io.taskexec.store.wakeup.DueSignal;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Executions of schedules that have a time to live, and the duty that ends them. */
class ExpiredExecutionsTest {
    private static final Duration TTL = Duration.ofMinutes(10);

    @RegisterExtension
    private static final ScheduleBed bed = new ScheduleBed();

    private static final ExpiredExecutions duty = new ExpiredExecutions(new ExpiryStore(
            bed.db.database(),
            new FlowReleases(bed.db.database(), new DueSignal()),
            new DependencyReleases(bed.db.database(), new DueSignal())));

    @BeforeEach
    void clear() {
        var _ = bed.db.execute("UPDATE queues SET ttl_ms = NULL");
    }

    private static void ttl(String table, Duration ttl) {
        var _ = bed.db.execute("UPDATE " + table + " SET ttl_ms = $1", ttl.toMillis());
    }

    private static Instant ago(Duration time) {
        return Instant.now().minus(time).truncatedTo(ChronoUnit.MINUTES);
    }

    /** How long after their ticks the executions of a job expire. */
    private static List<Duration> lives(UUID job) {
        return bed.db.rows("SELECT run_at, expires_at FROM exec_live WHERE job_id = $1 ORDER BY run_at", job).stream()
                .map(row -> Duration.between(row.getOffsetDateTime("run_at"), row.getOffsetDateTime("expires_at")))
                .toList();
    }

    private static long expired() {
        return bed.db.number("SELECT count(*) FROM executions WHERE status = 'EXPIRED'");
    }

    @Test
    void whatHasExpiredIsEndedAndMoreIsLookedForAtOnceWhenThereWasMuch() {
        IntStream.range(0, 501).forEach(_ -> bed.rows.live().insert());
        var _ = bed.db.execute("UPDATE exec_live SET expires_at = now()");
        bed.rows.live().insert();

        assertThat(await(duty.runOnce())).isZero();
        assertThat(await(duty.runOnce())).isEqualTo(Duration.ofSeconds(1));

        assertThat(expired()).isEqualTo(501);
        assertThat(bed.db.number("SELECT count(*) FROM exec_live")).isEqualTo(1);
    }

    @Test
    void aTickThatIsLateExpiresByTheTimeOfTheTick() {
        var job = bed.minutely().due(ago(Duration.ofMinutes(20)));
        ttl("jobs", TTL);
        bed.runUntilNothingIsDue();

        assertThat(lives(job)).hasSizeGreaterThan(19).containsOnly(TTL);
        assertThat(await(duty.runOnce())).isEqualTo(Duration.ofSeconds(1));

        assertThat(expired()).isBetween(10L, 12L);
        assertThat(bed.db.number(
                        "SELECT sum(count)::bigint FROM job_stats WHERE job_id = $1 AND status = 'EXPIRED'", job))
                .isEqualTo(expired());
    }

    @Test
    void aTickThatHadToWaitExpiresByTheTimeOfTheTick() {
        var job = bed.minutely().overlap(Overlap.BUFFER_ONE).due(ago(Duration.ofMinutes(3)));
        ttl("jobs", TTL);
        bed.runUntilNothingIsDue();
        bed.endExecutions(job);

        var _ = bed.releaseBuffered();

        assertThat(lives(job)).containsExactly(TTL);
    }

    @Test
    void aScheduleWithoutATimeOfItsOwnHasThatOfItsQueue() {
        var job = bed.minutely().due(ago(Duration.ofMinutes(1)));
        ttl("queues", TTL);
        bed.runUntilNothingIsDue();
        assertThat(lives(job)).isNotEmpty().containsOnly(TTL);

        bed.endExecutions(job);
        ttl("jobs", TTL.dividedBy(2));
        assertThat(await(bed.control.fire(job, Uuid7.next()))).isTrue();
        assertThat(lives(job)).containsExactly(TTL.dividedBy(2));
    }

    @Test
    void whatIsAskedForIsNotLate() {
        var job = bed.minutely().due(Instant.now().plusSeconds(3600));
        ttl("jobs", TTL);
        var late = new Late(ago(Duration.ofDays(2)), Uuid7.next());
        assertThat(await(bed.ledger.backfill(job, List.of(late)))).isEqualTo(1);
        var _ = bed.db.execute("UPDATE exec_live SET expires_at = now()");
        assertThat(await(duty.runOnce())).isPositive();
        assertThat(expired()).isEqualTo(1);

        var replay = Uuid7.next();
        var replays = new ReplayStore(bed.db.database(), new DueSignal(), bed.db.region("default"));
        assertThat(await(replays.replay(late.executionId(), replay))).isTrue();
        assertThat(await(bed.control.fire(job, Uuid7.next()))).isTrue();

        assertThat(await(duty.runOnce())).isPositive();
        assertThat(lives(job)).containsExactly(TTL, TTL);
        assertThat(expired()).isEqualTo(1);
    }
}
