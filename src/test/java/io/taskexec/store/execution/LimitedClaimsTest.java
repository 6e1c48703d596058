package io.taskexec.store.execution;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static io.taskexec.testing.TestDb.awaitRepeated;
import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
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
import io.taskexec.store.invariant.InvariantStore;
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
        db.execute("DELETE FROM deferrals");
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

    private static final int KEPT = Lanes.lane(1, 0, false, 4);

    /** Looks after what is deferred although the queue may be full. */
    private static List<UUID> looks() {
        return await(store.claimDeferred(List.of(1), List.of(0), 10, CLAIMANT)).claims().stream()
                .map(Claim::executionId)
                .toList();
    }

    private static @Nullable Duration untilNext(int leastUrgent, int region) {
        return await(store.claimDeferred(List.of(1), List.of(region), 10, new Claimant(leastUrgent, LEASE, WORKER)))
                .untilNext();
    }

    private static UUID defer(UUID id) {
        db.execute("UPDATE exec_live SET deferred = true, attempt = 1, started_at = now() WHERE execution_id = $1", id);
        db.execute(
                "INSERT INTO deferrals (execution_id, attempt, mode, since, deadline, heard_at)"
                        + " VALUES ($1, 1, 'callback', now() - interval '1 h', now(), now())",
                id);
        return id;
    }

    private static UUID deferred(Duration dueIn) {
        return defer(rows.live().lane(KEPT).dueIn(dueIn).insert());
    }

    private static void assertThatTheCountersAreRight() {
        assertThat(await(new InvariantStore(db.database(), () -> 24).check(10_000)))
                .allSatisfy(finding -> assertThat(finding.count())
                        .as(finding.invariant().name())
                        .isZero());
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
    void whatRunsWhenAQueueGetsALimitCountsOnceAllWorkersKnowOfIt() {
        put(null, null);
        queue(JOBS + 4, 9);
        var before = await(Stores.leases(db.database()).claim(Lanes.of(List.of(JOBS)), 4, LEASE, WORKER));
        put(5, null);
        assertThat(db.number("SELECT count(*) FROM queue_limits WHERE marks_from IS NOT NULL"))
                .isEqualTo(1);
        db.execute("UPDATE queue_limits SET marks_from = now() + interval '1 minute'");

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
                .singleElement()
                .matches(queue -> queue.isLimited());
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
    void whatIsDeferredIsLookedAfterInAFullQueueAndItsRetryWaitsForRoom() {
        limit(1, null);
        queue(KEPT, 3);
        var holder = claim(share(JOBS, 10)).answer().claims().getFirst();
        var deferred = deferred(Duration.ofSeconds(-1));
        var ofKey = rows.live().endpoint("keyed").lane(KEPT).flow("a").insert();
        var _ = defer(ofKey);
        db.execute("UPDATE exec_live SET flow_state = 2 WHERE execution_id = $1", ofKey);
        db.execute("UPDATE flow_limits SET open = 1");
        assertThat(claim(share(JOBS, 10), share(Lanes.keyed(JOBS), 10)).answer().claims())
                .isEmpty();

        var found =
                await(store.claimDeferred(List.of(1), List.of(0), 10, CLAIMANT)).claims();

        assertThat(found).extracting(Claim::executionId).containsExactlyInAnyOrder(deferred, ofKey);
        assertThat(found).allMatch(claim -> claim.isDeferred() && claim.attempt() == 1);
        assertThat(running()).isEqualTo(1);
        assertThat(db.number("SELECT open FROM flow_limits")).isEqualTo(1);
        assertThatTheCountersAreRight();
        var recorder = Stores.recorder(db.database());
        for (var look : found) {
            assertThat(await(recorder.record(
                            look, WORKER, new Transition.RetryAfter(Duration.ZERO, Rows.json("{'type': 'TIMEOUT'}")))))
                    .isTrue();
        }

        assertThat(db.number("SELECT open FROM flow_limits")).isZero();
        assertThat(looks()).isEmpty();
        assertThat(claim(share(JOBS, 10), share(Lanes.keyed(JOBS), 10)).answer().claims())
                .isEmpty();
        assertThat(await(recorder.record(holder, WORKER, new Transition.Succeed(Rows.json("{}"), false))))
                .isTrue();
        assertThat(claim(share(Lanes.keyed(JOBS), 10)).answer().claims())
                .singleElement()
                .satisfies(claim -> {
                    assertThat(claim.executionId()).isEqualTo(ofKey);
                    assertThat(claim.attempt()).isEqualTo(2);
                });
        assertThat(running()).isEqualTo(1);
        assertThatTheCountersAreRight();
    }

    @Test
    void aLookTakesNoPlaceOfAQueueThatHasRoom() {
        limit(2, null);
        var deferred = deferred(Duration.ofMinutes(-1));
        queue(KEPT, 5);

        var first = claim(share(JOBS, 10));

        assertThat(first.answer().claims())
                .hasSize(2)
                .extracting(Claim::executionId)
                .contains(deferred);
        assertThat(first.full()).isEmpty();
        assertThat(claim(share(JOBS, 10)).answer().claims()).hasSize(1);
        assertThat(running()).isEqualTo(2);
        assertThat(claim(share(JOBS, 10)).full()).containsOnlyKeys(1);
    }

    @Test
    void aLookNeedsNoTokenAndSpendsNone() {
        limit(null, new RateLimit(1, Duration.ofHours(1), 1));
        queue(KEPT, 2);
        assertThat(claim(share(JOBS, 10)).answer().claims()).hasSize(1);
        var tat = db.row("SELECT tat FROM queue_limits").getOffsetDateTime("tat");
        var deferred = deferred(Duration.ofSeconds(-1));

        assertThat(looks()).containsExactly(deferred);

        assertThat(db.row("SELECT tat FROM queue_limits").getOffsetDateTime("tat"))
                .isEqualTo(tat);
    }

    @Test
    void aLookThatRunsWhenAQueueGetsALimitDoesNotCount() {
        put(null, null);
        var deferred = deferred(Duration.ofSeconds(-1));
        var before = await(Stores.leases(db.database()).claim(Lanes.of(List.of(JOBS)), 4, LEASE, WORKER));
        put(1, null);
        db.execute("UPDATE queue_limits SET marks_from = now() - interval '1 second'");
        queue(KEPT, 2);

        assertThat(before).extracting(Claim::executionId).containsExactly(deferred);
        assertThat(claim(share(JOBS, 10)).answer().claims()).hasSize(1);
    }

    @Test
    void aPauseHoldsLooksBackAndAfterItTheyCountForTheSlowStart() {
        limit(5, null);
        for (var i = 0; i < 3; i++) {
            var _ = deferred(Duration.ofSeconds(-1));
        }
        var _ = await(settings.pause("mail", null, null));
        assertThat(looks()).isEmpty();
        var _ = await(settings.resume("mail"));
        assertThat(looks()).isEmpty();

        assertThat(claim(share(JOBS, 1)).answer().claims()).hasSize(1);
        assertThat(running()).isEqualTo(1);

        db.execute("UPDATE queues SET resumed_at = now() - interval '11 seconds' WHERE queue_id = 1");
        assertThat(looks()).hasSize(2);
        assertThat(running()).isEqualTo(1);
    }

    @Test
    void theNextLookIsWhenTheFirstDeferredExecutionBecomesDue() {
        limit(1, null);
        queue(KEPT, 2);
        assertThat(untilNext(7, 0)).isNull();
        var _ = deferred(Duration.ofMinutes(10));

        assertThat(untilNext(7, 0)).isBetween(Duration.ofMinutes(9), Duration.ofMinutes(10));
        assertThat(untilNext(3, 0)).as("less urgent").isNull();
        assertThat(untilNext(7, 1)).as("another region").isNull();
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
    void whatIsClaimedWithAKeyThatCannotGetCountersBeginsAllTheSame() {
        limit(10, null);
        queue(JOBS + 4, 2);
        rows.live().endpoint("keyed").lane(JOBS + 4).flow("b").insert();
        db.execute("DELETE FROM flow_limits");
        db.execute("ALTER TABLE flow_limits ADD CONSTRAINT on_purpose CHECK (flow_key <> 'b')");
        try {
            assertThat(claim(share(Lanes.keyed(JOBS), 5), share(JOBS, 5))
                            .answer()
                            .claims())
                    .hasSize(2);
        } finally {
            db.execute("ALTER TABLE flow_limits DROP CONSTRAINT on_purpose");
        }
    }

    @Test
    void aQueueThatIsGoneGrantsNothing() {
        assertThat(claim(share(JOBS, 10)).answer()).isEqualTo(new SharedClaims.Answer(List.of(), Map.of(), Map.of()));
    }

    @Test
    void tenWorkersAtOnceLookAfterEachDeferredExecutionOnce() {
        limit(1, null);
        var ids = IntStream.range(0, 40)
                .mapToObj(_ -> deferred(Duration.ofSeconds(-1)))
                .toList();

        var looks = await(Uni.join()
                .all(IntStream.range(0, 10)
                        .mapToObj(_ -> store.claimDeferred(List.of(1), List.of(0), 10, CLAIMANT))
                        .toList())
                .andFailFast());

        assertThat(looks.stream().flatMap(look -> look.claims().stream()))
                .extracting(Claim::executionId)
                .containsExactlyInAnyOrderElementsOf(ids);
        assertThatTheCountersAreRight();
    }
}
