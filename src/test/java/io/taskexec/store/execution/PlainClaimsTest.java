package io.taskexec.store.execution;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.delivery.Claim;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.store.wakeup.DueSignal.Work;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** While many executions are claimed, claims leave out what a look at all finds in the end. */
@StoreTest
@NeedsOwnServer("Only with PostgreSQL there are marks.")
class PlainClaimsTest {
    private static final Integer[] LANES = Lanes.of(List.of(0));
    private static final Duration LEASE = Duration.ofMinutes(1);
    private static final int PROCESSES = 10;
    private static final int BACKLOG = 5_000;
    private static final Duration LATE = LaneMarks.WIDE_MARGIN.multipliedBy(10);
    private static final Duration BOUND = LaneMarks.BETWEEN_LOOKS.multipliedBy(4);

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private final DueSignal signal = new DueSignal();
    private final PlainClaims claims = new PlainClaims(db.database(), signal);

    @BeforeAll
    static void open() {
        rows.endpoint(ENDPOINT).insert();
    }

    private List<UUID> claim(int limit) {
        return ids(await(claims.claim(LANES, limit, LEASE, UUID.randomUUID())));
    }

    private static List<UUID> ids(List<Claim> claims) {
        return claims.stream().map(Claim::executionId).toList();
    }

    private void beBusy() {
        IntStream.range(0, LaneMarks.ENOUGH).forEach(_ -> rows.live().insert());
        assertThat(claim(LaneMarks.ENOUGH + 1)).hasSize(LaneMarks.ENOUGH);
    }

    @Test
    void whatIsCommittedWithinTheMarginIsFoundAtOnce() {
        beBusy();
        var late = rows.live().dueSince(LaneMarks.MARGIN.dividedBy(2)).insert();

        assertThat(await(claims.untilNextDue(LANES))).isNegative();
        assertThat(claim(10)).containsExactly(late);
    }

    @Test
    void whatASlowTransactionCommitsIsFoundByOneOfTheNextClaims() throws InterruptedException {
        beBusy();
        var late = rows.live().dueSince(LaneMarks.WIDE_MARGIN.dividedBy(2)).insert();

        Eventually.await("it is claimed", LaneMarks.WIDE_MARGIN, () -> claim(10).contains(late));
    }

    @Test
    void whatIsCommittedLaterIsFoundByALookAtWhatIsOlderWhichWakesTheWorker() throws InterruptedException {
        var woken = new AtomicInteger();
        signal.onSignal(Work.PUSHED, woken::incrementAndGet);
        beBusy();
        var late = rows.live().dueSince(LATE).insert();
        assertThat(claim(10)).isEmpty();
        assertThat(await(claims.untilNextDue(LANES))).isLessThanOrEqualTo(Duration.ofSeconds(1));

        Eventually.await("it is claimed", BOUND, () -> {
            rows.live().insert();
            return claim(10).contains(late);
        });
        assertThat(woken).hasPositiveValue();
    }

    @Test
    void aLookNearTheMarksFindsWhatIsDueAsFarBackAsItBegins() {
        beBusy();
        rows.live().dueSince(LaneMarks.NEAR.multipliedBy(2)).insert();
        assertThat(isOlderDue(LaneMarks.NEAR)).isFalse();
        assertThat(isOlderDue(null)).isTrue();

        rows.live().dueSince(LaneMarks.NEAR.dividedBy(2)).insert();
        assertThat(isOlderDue(LaneMarks.NEAR)).isTrue();
    }

    private boolean isOlderDue(@Nullable Duration back) {
        return await(claims.isOlderDue(new LaneMarks.Look(System.nanoTime(), back)));
    }

    @Test
    void whatATransactionOfAUserHasMadeDueIsFoundWithItsSignal() {
        beBusy();
        var late = rows.live().dueSince(LATE).insert();

        signal.heard(DueSignal.ANYTHING);

        assertThat(claim(10)).containsExactly(late);
    }

    @Test
    void aClaimThatWasFullGoesOnWhereItEnded() {
        var urgent = rows.live().lane(2).insert();
        var waiting = IntStream.range(0, 2 * LaneMarks.ENOUGH)
                .mapToObj(n -> rows.live().dueSince(LATE.minusMillis(n)).insert())
                .toList();

        assertThat(claim(LaneMarks.ENOUGH + 1)).contains(urgent).containsAll(waiting.subList(0, LaneMarks.ENOUGH));
        var before = rows.live().dueSince(LATE.multipliedBy(2)).insert();
        var less = rows.live().lane(6).dueSince(LATE).insert();
        var more = rows.live().lane(3).insert();

        assertThat(claim(2 * LaneMarks.ENOUGH))
                .contains(more, less)
                .containsAll(waiting.subList(LaneMarks.ENOUGH, waiting.size()))
                .doesNotContain(before);
    }

    @Test
    void tenProcessesClaimABacklogTogetherEachExecutionOnce() throws InterruptedException {
        db.execute("""
                INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at)
                SELECT gen_random_uuid(), gen_random_uuid(), i % 8, now() - i * interval '10 ms', now(), now()
                FROM generate_series(1, $1::int) AS i
                """, BACKLOG);
        var processes = Stream.generate(() -> new PlainClaims(db.database(), new DueSignal()))
                .limit(PROCESSES)
                .toList();
        var claimed = new ArrayList<UUID>();

        Eventually.await("all is claimed", BOUND, () -> {
            await(Uni.join()
                            .all(processes.stream()
                                    .map(process -> process.claim(LANES, 25, LEASE, UUID.randomUUID()))
                                    .toList())
                            .andFailFast())
                    .forEach(some -> claimed.addAll(ids(some)));
            return claimed.size() >= BACKLOG;
        });

        assertThat(claimed).doesNotHaveDuplicates().hasSize(BACKLOG);
        assertThat(db.number("SELECT count(*) FROM exec_live WHERE attempt <> 1 OR lease_token IS NULL"))
                .isZero();
        db.execute("DELETE FROM exec_live");
    }

    @Test
    void whileLittleIsClaimedAllThatIsDueIsLookedAt() {
        assertThat(claim(10)).isEmpty();
        var late = rows.live().dueSince(LATE).insert();

        assertThat(claim(10)).containsExactly(late);
    }
}
