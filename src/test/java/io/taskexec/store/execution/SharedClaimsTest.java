package io.taskexec.store.execution;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.delivery.Claim;
import io.taskexec.store.execution.SharedClaims.Answer;
import io.taskexec.store.execution.SharedClaims.Claimant;
import io.taskexec.store.execution.SharedClaims.Share;
import io.taskexec.store.sql.Lanes;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

@StoreTest
class SharedClaimsTest {
    private static final Duration LEASE = Duration.ofSeconds(60);
    private static final Duration STEP = Duration.ofMinutes(1);
    private static final Claimant CLAIMANT = new Claimant(Lanes.PRIORITIES - 1, LEASE, UUID.randomUUID());
    private static final int FIRST = Lanes.lane(0, 0, false, 0);
    private static final int SECOND = Lanes.lane(1, 0, false, 0);
    private static final int THIRD = Lanes.lane(2, 0, true, 0);

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static SharedClaims store;

    @BeforeAll
    static void open() {
        store = Stores.sharedClaims(db.database());
        rows.endpoint(ENDPOINT).insert();
        rows.endpoint("capped").insert();
        rows.flowPolicy("capped", "max_concurrency", "2");
    }

    private static List<UUID> queue(int lane, int count) {
        return IntStream.range(0, count)
                .mapToObj(_ -> rows.live().lane(lane).insert())
                .toList();
    }

    private static UUID waiting(int priority, Duration since) {
        return rows.live().lane(FIRST + priority).dueSince(since).insert();
    }

    private static Share share(int line, int limit) {
        return new Share(line, limit, 0, false);
    }

    private static Share aging(int limit, boolean agedFirst) {
        return new Share(FIRST, limit, STEP.toMillis(), agedFirst);
    }

    private static Answer claim(Share... shares) {
        return await(store.claim(List.of(shares), CLAIMANT));
    }

    private static List<UUID> ids(Answer answer) {
        return answer.claims().stream().map(Claim::executionId).toList();
    }

    @Test
    void eachGroupHasAtMostItsShareAndTellsWhatItHad() {
        var _ = queue(FIRST + 4, 10);
        var _ = queue(SECOND, 10);
        var _ = queue(THIRD + 7, 2);

        var answer = claim(share(FIRST, 6), share(SECOND, 3), share(THIRD, 5));

        assertThat(answer.claimed()).containsOnly(Map.entry(FIRST, 6), Map.entry(SECOND, 3), Map.entry(THIRD, 2));
        assertThat(answer.seen()).isEqualTo(answer.claimed());
        assertThat(answer.claims())
                .hasSize(11)
                .allSatisfy(claim -> assertThat(claim.attempt()).isEqualTo(1));
        assertThat(db.number("SELECT count(*) FROM exec_live WHERE lease_token IS NOT NULL"))
                .isEqualTo(11);
    }

    @Test
    void withinAGroupTheMostUrgentComesFirstAndThenWhatHasWaitedLongest() {
        var _ = waiting(5, Duration.ofHours(1));
        var second = waiting(3, Duration.ofSeconds(1));
        var first = waiting(3, Duration.ofSeconds(2));
        var _ = queue(SECOND, 1);

        assertThat(ids(claim(share(FIRST, 2), share(SECOND, 0)))).containsExactlyInAnyOrder(first, second);
    }

    @Test
    void whatIsNotDueIsNotClaimed() {
        rows.live().lane(FIRST).dueIn(Duration.ofMinutes(1)).insert();

        assertThat(claim(share(FIRST, 2), share(SECOND, 2)).claims()).isEmpty();
        assertThat(claim(aging(2, false)).claims()).isEmpty();
    }

    @Test
    void aStepOfWaitingIsWorthAPriority() {
        var _ = waiting(5, STEP.minusSeconds(5));
        var aged = waiting(5, STEP.plusSeconds(5));
        var urgent = waiting(4, Duration.ofSeconds(1));

        assertThat(ids(claim(aging(1, true)))).containsExactly(aged);
        assertThat(ids(claim(aging(1, true)))).containsExactly(urgent);
    }

    @Test
    void ofWhatIsEquallyUrgentByNowEitherTheAgedOrTheUrgentComesFirst() {
        var aged = waiting(7, STEP.multipliedBy(7).plusSeconds(5));
        var _ = waiting(7, STEP.multipliedBy(6).plusSeconds(5));
        var urgent = waiting(0, Duration.ofHours(3));

        assertThat(ids(claim(aging(1, false)))).containsExactly(urgent);
        var _ = waiting(0, Duration.ofHours(3));
        assertThat(ids(claim(aging(1, true)))).containsExactly(aged);
    }

    @Test
    void whateverHasWaitedEachExecutionIsInOneLookOnly() {
        var all = new ArrayList<UUID>();
        for (var priority = 0; priority < Lanes.PRIORITIES; priority++) {
            for (var steps = 0; steps < 12; steps++) {
                all.add(waiting(priority, STEP.multipliedBy(steps)));
                all.add(waiting(priority, STEP.multipliedBy(steps).plusSeconds(30)));
            }
        }

        // A row that was found twice would fill a place.
        var answer = claim(aging(all.size(), true));

        assertThat(ids(answer)).containsExactlyInAnyOrderElementsOf(all);
        assertThat(answer.seen()).containsOnly(Map.entry(FIRST, all.size()));
    }

    @Test
    void aTimeLongBeforeAllOthersIsClaimedToo() {
        var ids = List.of(waiting(0, Duration.ZERO), waiting(7, Duration.ZERO));
        db.execute("UPDATE exec_live SET visible_at = '-infinity'");

        assertThat(ids(claim(aging(5, false)))).containsExactlyInAnyOrderElementsOf(ids);
    }

    @Test
    void executionsWithFlowKeysHaveTheirShareAsFarAsTheirLimitsLetThem() {
        for (var i = 0; i < 4; i++) {
            rows.live().endpoint("capped").flow("tenant").insert();
            rows.live().endpoint("capped").flow("other").lane(SECOND).insert();
        }
        var lines = List.of(Lanes.keyed(FIRST), Lanes.keyed(SECOND));

        var answer = claim(share(lines.get(0), 3), share(lines.get(1), 1));

        assertThat(answer.seen()).containsOnly(Map.entry(lines.get(0), 3), Map.entry(lines.get(1), 1));
        assertThat(answer.claimed()).containsOnly(Map.entry(lines.get(0), 2), Map.entry(lines.get(1), 1));
        assertThat(db.number("SELECT sum(open) FROM flow_limits")).isEqualTo(3);
    }

    @Test
    void ofOneGroupAloneAsMuchIsTold() {
        var _ = queue(SECOND, 3);
        rows.live().endpoint("capped").flow("tenant").insert();

        assertThat(claim(share(SECOND, 2)).claimed()).containsOnly(Map.entry(SECOND, 2));
        var keyed = claim(share(Lanes.keyed(FIRST), 2));
        assertThat(keyed.claimed()).containsOnly(Map.entry(Lanes.keyed(FIRST), 1));
        assertThat(keyed.seen()).isEqualTo(keyed.claimed());
    }

    @Test
    void tenWorkersAtOnceClaimEachExecutionOnce() throws Exception {
        db.execute("""
                INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at)
                SELECT gen_random_uuid(), gen_random_uuid(), (i % 3) * 128 + i % 8,
                  now() - i * interval '1 second', now(), now()
                FROM generate_series(1, 2000) AS i
                """);
        var claimed = Collections.synchronizedList(new ArrayList<UUID>());
        Callable<Void> worker = () -> {
            for (var empty = 0; empty < 3; ) {
                var answer = claim(
                        aging(17, empty % 2 == 0),
                        share(SECOND, 11),
                        new Share(Lanes.lane(2, 0, false, 0), 5, 30_000, true));
                claimed.addAll(ids(answer));
                empty = answer.claims().isEmpty() ? empty + 1 : 0;
            }
            return null;
        };
        try (var threads = Executors.newFixedThreadPool(10)) {
            for (var done : threads.invokeAll(Collections.nCopies(10, worker))) {
                done.get();
            }
        }

        assertThat(claimed).hasSize(2_000);
        assertThat(new HashSet<>(claimed)).hasSize(2_000);
        assertThat(db.number("SELECT count(*) FROM exec_live WHERE attempt = 1 AND lease_token IS NOT NULL"))
                .isEqualTo(2_000);
    }
}
