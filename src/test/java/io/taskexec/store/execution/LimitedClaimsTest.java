package io.taskexec.store.execution;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static io.taskexec.testing.TestDb.awaitRepeated;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.Transition;
import io.taskexec.model.flow.RateLimit;
import io.taskexec.model.queue.QueueDetails.Settings;
import io.taskexec.store.endpoint.Precondition;
import io.taskexec.store.endpoint.QueueSettingsStore;
import io.taskexec.store.endpoint.QueueStore;
import io.taskexec.store.execution.LimitedClaims.Grant;
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
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreTest
class LimitedClaimsTest {
    private static final Duration LEASE = Duration.ofSeconds(60);
    private static final UUID WORKER = UUID.randomUUID();
    private static final Claimant CLAIMANT = new Claimant(Lanes.PRIORITIES - 1, LEASE, WORKER);
    private static final int SLOTS = 10;
    private static final int JOBS = Lanes.lane(1, 0, false, 0);
    private static final int TICKS = Lanes.lane(1, 0, true, 0);

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static QueueSettingsStore settings;
    private static LimitedClaims store;

    @BeforeAll
    static void open() {
        settings = new QueueSettingsStore(db.database());
        store = store();
        rows.endpoint(ENDPOINT).insert();
        rows.endpoint("keyed").insert();
        rows.flowPolicy("keyed", "max_concurrency", "2");
    }

    private static LimitedClaims store() {
        return new LimitedClaims(db.database(), Stores.sharedClaims(db.database()));
    }

    @BeforeEach
    void removeQueues() {
        db.execute("DELETE FROM queue_limits");
        db.execute("DELETE FROM queues WHERE queue_id > 0");
    }

    private static void put(@Nullable Integer maxConcurrency, @Nullable RateLimit rate) {
        var _ = await(settings.put("mail", new Settings(1, null, maxConcurrency, rate, null), Precondition.NONE));
    }

    /** As if the queue had had these limits for a while. */
    private static void limit(@Nullable Integer maxConcurrency, @Nullable RateLimit rate) {
        put(maxConcurrency, rate);
        db.execute("UPDATE queue_limits SET marks_from = NULL");
    }

    private static void queue(int lane, int count) {
        IntStream.range(0, count).forEach(_ -> rows.live().lane(lane).insert());
    }

    private static Grant claim(Share... shares) {
        return await(store.claim(List.of(shares), SLOTS, CLAIMANT));
    }

    private static Share share(int line, int limit) {
        return new Share(line, limit, 0, false);
    }

    private static long running() {
        return db.number(
                "SELECT count(*) FROM exec_live WHERE lease_token IS NOT NULL AND visible_at > now() AND holds_queue");
    }

    @Test
    void noMoreRunThanTheCapLeavesPlacesFor() {
        limit(3, null);
        queue(JOBS + 4, 10);

        var first = claim(share(JOBS, 10));
        var second = claim(share(JOBS, 10));

        assertThat(first.answer().claims()).hasSize(3);
        assertThat(first.full()).containsOnlyKeys(1);
        assertThat(second.answer().claims()).isEmpty();
        assertThat(second.granted()).isEmpty();
        assertThat(running()).isEqualTo(3);
    }

    @Test
    void anExecutionThatHasEndedOrWaitsAgainGivesItsPlaceBack() {
        limit(2, null);
        queue(JOBS + 4, 10);
        var claims = claim(share(JOBS, 10)).answer().claims();
        var recorder = Stores.recorder(db.database());

        assertThat(await(recorder.record(claims.getFirst(), WORKER, new Transition.Succeed(Rows.json("{}"), false))))
                .isTrue();
        assertThat(claim(share(JOBS, 10)).answer().claims()).hasSize(1);
        var _ = await(Stores.leases(db.database()).handBack(List.of(claims.getLast()), Duration.ofHours(1)));

        assertThat(claim(share(JOBS, 10)).answer().claims()).hasSize(1);
        assertThat(running()).isEqualTo(2);
    }

    @Test
    void whatADeadWorkerLeftDoesNotFillTheQueueAndIsClaimedAgain() {
        limit(2, null);
        queue(JOBS + 4, 2);
        var lost = claim(share(JOBS, 10)).answer().claims();
        db.execute("UPDATE exec_live SET visible_at = now() - interval '1 second'");

        var again = claim(share(JOBS, 10)).answer().claims();

        assertThat(again)
                .extracting(Claim::executionId)
                .containsExactlyInAnyOrderElementsOf(
                        lost.stream().map(Claim::executionId).toList());
        assertThat(again).allMatch(claim -> claim.rescues() == 1);
    }

    @Test
    void theGroupsOfAQueueShareItsPlacesAndEachHasItsTurn() {
        limit(1, null);
        queue(JOBS + 4, 5);
        queue(TICKS + 4, 5);

        var lines = new ArrayList<Integer>();
        for (var i = 0; i < 6; i++) {
            lines.addAll(
                    claim(share(JOBS, 5), share(TICKS, 5)).answer().claimed().keySet());
            db.execute("DELETE FROM exec_live WHERE lease_token IS NOT NULL");
        }

        assertThat(lines).hasSize(6).containsOnly(JOBS, TICKS);
    }

    @Test
    void executionsWithFlowKeysCountToo() {
        limit(3, null);
        IntStream.range(0, 5)
                .forEach(_ ->
                        rows.live().endpoint("keyed").lane(JOBS + 4).flow("a").insert());
        queue(JOBS + 4, 5);

        var grant = claim(share(Lanes.keyed(JOBS), 5), share(JOBS, 5));

        assertThat(grant.answer().claims().size()).isEqualTo((int) running()).isLessThanOrEqualTo(3);
        for (var i = 0; i < 3; i++) {
            var _ = claim(share(Lanes.keyed(JOBS), 5), share(JOBS, 5));
        }
        assertThat(running()).isEqualTo(3);
        assertThat(db.number("SELECT open FROM flow_limits")).isLessThanOrEqualTo(2);
    }

    @Test
    void theRateIsSpentByWhatIsClaimedAndByNothingElse() {
        limit(null, new RateLimit(1, Duration.ofHours(1), 4));
        queue(JOBS + 4, 3);

        assertThat(claim(share(JOBS, 10)).answer().claims()).hasSize(3);
        queue(JOBS + 4, 5);
        var last = claim(share(JOBS, 10));
        var none = claim(share(JOBS, 10));

        assertThat(last.answer().claims()).hasSize(1);
        assertThat(none.answer().claims()).isEmpty();
        assertThat(none.full().get(1)).satisfies(wait -> {
            assertThat(wait.forPlace()).isFalse();
            assertThat(wait.time()).isBetween(Duration.ofMinutes(59), Duration.ofMinutes(61));
        });
    }

    @Test
    void tokensThatWereSpentAtTheRateOfBeforeAreWaitedForAtTheNewOne() {
        limit(null, new RateLimit(1_000, Duration.ofSeconds(1), 10));
        queue(JOBS + 4, 1);
        db.execute("UPDATE queue_limits SET tat = now() + interval '1 hour'");

        var grant = claim(share(JOBS, 10));

        assertThat(grant.answer().claims()).isEmpty();
        assertThat(grant.full().get(1))
                .isNotNull()
                .satisfies(wait -> assertThat(wait.time()).isLessThan(Duration.ofSeconds(1)));
    }

    @Test
    void whatRunsWhenAQueueGetsALimitCountsOnceAllWorkersKnowOfIt() {
        put(null, null);
        queue(JOBS + 4, 9);
        var before = await(Stores.leases(db.database()).claim(Lanes.of(List.of(JOBS)), 4, LEASE, WORKER));
        put(5, null);

        var early = claim(share(JOBS, 10));
        db.execute("UPDATE queue_limits SET marks_from = now() - interval '1 second'");
        var late = claim(share(JOBS, 10));

        assertThat(before).hasSize(4);
        assertThat(early.answer().claims()).isEmpty();
        assertThat(early.full().get(1))
                .satisfies(wait -> assertThat(wait.time()).isPositive());
        assertThat(late.answer().claims()).hasSize(1);
        assertThat(running()).isEqualTo(5);
    }

    @Test
    void whatWasClaimedByAWorkerThatDidNotKnowOfTheLimitDoesNotBegin() {
        limit(5, null);
        queue(JOBS + 4, 2);
        var unaware = await(Stores.leases(db.database()).claim(Lanes.of(List.of(JOBS)), 1, LEASE, WORKER))
                .getFirst();
        var counted = claim(share(JOBS, 1)).answer().claims().getFirst();
        var queues = new QueueStore(db.database());

        assertThat(await(queues.placeOf(unaware.executionId())).isBlocked()).isTrue();
        assertThat(await(queues.placeOf(counted.executionId())).isBlocked()).isFalse();
    }

    @Test
    void aQueueThatWasPausedGetsTheSlotsStepByStep() {
        put(null, null);
        var _ = await(settings.pause("mail", null, null));
        var _ = await(settings.resume("mail"));
        db.execute("UPDATE queues SET resumed_at = now() - interval '4 seconds' WHERE queue_id = 1");
        queue(JOBS + 4, 10);

        assertThat(await(new QueueStore(db.database()).claimable()).queues())
                .filteredOn(queue -> queue.queueId() == 1)
                .allMatch(queue -> queue.isLimited());
        // 10 % at first, and 9 % more with each second: 46 % now.
        var claimed = claim(share(JOBS, 10)).answer().claims().size();
        var seconds =
                db.number("SELECT ceil(extract(epoch FROM now() - resumed_at) * 1000) FROM queues WHERE queue_id = 1")
                        / 1000.0;
        assertThat(claimed).isBetween(5, (int) Math.ceil(10 * (0.1 + 0.09 * seconds)));
        db.execute("UPDATE queues SET resumed_at = now() - interval '11 seconds' WHERE queue_id = 1");
        assertThat(await(new QueueStore(db.database()).claimable()).queues()).noneMatch(queue -> queue.isLimited());
    }

    @Test
    void tenWorkersTogetherKeepTheCap() throws Exception {
        limit(7, null);
        queue(JOBS + 4, 300);
        var ended = new AtomicInteger();
        var most = new AtomicInteger();
        var now = new AtomicInteger();
        try (var workers = Executors.newFixedThreadPool(10)) {
            var results = workers.invokeAll(IntStream.range(0, 10)
                    .<Callable<Void>>mapToObj(_ -> () -> {
                        var own = store();
                        var recorder = Stores.recorder(db.database());
                        while (ended.get() < 300) {
                            var claims = awaitRepeated(() -> own.claim(List.of(share(JOBS, 3)), SLOTS, CLAIMANT))
                                    .answer()
                                    .claims();
                            most.accumulateAndGet(now.addAndGet(claims.size()), Math::max);
                            for (var claim : claims) {
                                now.decrementAndGet();
                                assertThat(awaitRepeated(() -> recorder.record(
                                                claim, WORKER, new Transition.Succeed(Rows.json("{}"), false))))
                                        .isTrue();
                                ended.incrementAndGet();
                            }
                        }
                        return null;
                    })
                    .toList());
            for (var result : results) {
                var _ = result.get();
            }
        }

        assertThat(most.get()).isBetween(2, 7);
        assertThat(db.number("SELECT count(*) FROM exec_live")).isZero();
    }

    @Test
    void aQueueThatIsGoneGrantsNothing() {
        assertThat(claim(share(JOBS, 10)).answer()).isEqualTo(new SharedClaims.Answer(List.of(), Map.of(), Map.of()));
    }
}
