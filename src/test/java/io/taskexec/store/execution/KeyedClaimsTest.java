package io.taskexec.store.execution;

import static io.taskexec.testing.TestDb.await;
import static io.taskexec.testing.TestDb.awaitRepeated;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.Transition;
import io.taskexec.model.flow.FlowKey;
import io.taskexec.store.job.CancelSignal;
import io.taskexec.store.sql.Lanes;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.HeldTransaction;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreTest
class KeyedClaimsTest {
    private static final Duration LEASE = Duration.ofSeconds(60);
    private static final Integer[] LANES =
            Arrays.stream(Lanes.of(List.of(0))).map(Lanes::keyed).toArray(Integer[]::new);
    private static final UUID WORKER = UUID.randomUUID();
    private static final Duration BOUND = Duration.ofSeconds(20);

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static LeaseStore leases;
    private static ResultRecorder recorder;

    @BeforeAll
    static void open() {
        leases = Stores.leases(db.database());
        recorder = Stores.recorder(db.database());
        for (var name : List.of("capped", "rated", "strict", "fair", "many")) {
            rows.endpoint(name).insert();
        }
        rows.flowPolicy("capped", "max_concurrency", "2");
        rows.flowPolicy("rated", "rate_spacing_us, rate_burst", "100000, 3");
        rows.flowPolicy("strict", "max_concurrency, fifo", "1, true");
        rows.flowPolicy("fair", "fair", "true");
        rows.flowPolicy("many", "max_concurrency", "3");
    }

    @BeforeEach
    void clear() {
        rows.clearJobs();
    }

    private static List<UUID> queue(String endpoint, String key, int count) {
        return IntStream.range(0, count)
                .mapToObj(n -> rows.live()
                        .endpoint(endpoint)
                        .dueSince(Duration.ofMillis(2 * count - n))
                        .flow(key)
                        .insert())
                .toList();
    }

    private static LeaseStore.KeyedAnswer claim(int limit) {
        return await(leases.claimKeyed(LANES, limit, LEASE, WORKER));
    }

    private static List<UUID> ids(List<Claim> claims) {
        return claims.stream().map(Claim::executionId).toList();
    }

    private static int state(UUID id) {
        return db.row("SELECT flow_state FROM exec_live WHERE execution_id = $1", id)
                .getInteger("flow_state");
    }

    private static long open(String endpoint, String key) {
        return db.number(
                "SELECT open FROM flow_limits WHERE flow_id = $1",
                FlowKey.of(endpoint, key).id());
    }

    private static void end(Claim claim) {
        assertThat(await(recorder.record(claim, WORKER, new Transition.Succeed(Rows.json("{}")))))
                .isTrue();
    }

    private static void retry(Claim claim, Duration delay) {
        var retry = new Transition.RetryAfter(delay, Rows.json("{'type': 'TIMEOUT', 'message': 'm'}"));
        assertThat(await(recorder.record(claim, WORKER, retry))).isTrue();
    }

    private static void awaitState(UUID id, int state) throws InterruptedException {
        Eventually.await("state " + state, BOUND, () -> state(id) == state);
    }

    @Test
    void asManyOfAKeyAreClaimedAsHaveRoomAndTheRestIsParkedUntilOneEnds() throws InterruptedException {
        var ids = queue("capped", "a", 5);
        var others = queue("capped", "b", 1);

        var answer = claim(10);

        assertThat(answer.seen()).isEqualTo(6);
        assertThat(ids(answer.claims())).containsExactlyInAnyOrder(ids.get(0), ids.get(1), others.getFirst());
        assertThat(ids.stream().map(KeyedClaimsTest::state)).containsExactly(2, 2, 1, 1, 1);
        assertThat(open("capped", "a")).isEqualTo(2);
        assertThat(claim(10).seen()).isZero();

        end(answer.claims().stream()
                .filter(c -> c.executionId().equals(ids.getFirst()))
                .findFirst()
                .orElseThrow());

        awaitState(ids.get(2), 0);
        assertThat(ids(claim(10).claims())).containsExactly(ids.get(2));
        assertThat(open("capped", "a")).isEqualTo(2);
        assertThat(state(ids.get(3))).isEqualTo(1);
    }

    @Test
    void aRetryGivesItsPlaceToTheNextAndComesBackInTheLane() throws InterruptedException {
        var ids = queue("capped", "c", 3);
        var claims = claim(10).claims();

        retry(
                claims.stream()
                        .filter(c -> c.executionId().equals(ids.getFirst()))
                        .findFirst()
                        .orElseThrow(),
                Duration.ofMinutes(1));

        awaitState(ids.get(2), 0);
        assertThat(state(ids.getFirst())).isZero();
        assertThat(open("capped", "c")).isEqualTo(1);
    }

    @Test
    void whatIsHandedBackOrCancelledGivesItsPlaceBack() throws InterruptedException {
        var ids = queue("capped", "d", 4);
        var claims = claim(10).claims();
        assertThat(claims).hasSize(2);

        assertThat(await(leases.handBack(List.of(claims.getFirst()), Duration.ofMinutes(1))))
                .isEqualTo(1);
        awaitState(ids.get(2), 0);
        var cancelling = Stores.cancelling(db.database(), new CancelSignal());
        assertThat(await(cancelling.cancel(claims.get(1).executionId(), true))).isTrue();
        awaitState(ids.get(3), 0);

        assertThat(open("capped", "d")).isZero();
    }

    @Test
    void anExecutionWhoseWorkerDiedKeepsItsPlaceAndIsNotCountedAgain() {
        var id = queue("capped", "e", 1).getFirst();
        assertThat(claim(10).claims()).hasSize(1);
        db.execute("UPDATE exec_live SET visible_at = now() - interval '1 ms' WHERE execution_id = $1", id);

        var again = claim(10).claims();

        assertThat(ids(again)).containsExactly(id);
        assertThat(again.getFirst().rescues()).isEqualTo(1);
        assertThat(open("capped", "e")).isEqualTo(1);
    }

    @Test
    void aBurstGoesAtOnceWhatHasATokenSoonWaitsForItAndTheRestIsParked() {
        var ids = queue("rated", "a", 20);

        assertThat(ids(claim(50).claims())).containsExactlyInAnyOrderElementsOf(ids.subList(0, 3));

        // Ten a second after the burst of three: the fourth in 0.1 s, the thirteenth in 1.0 s.
        assertThat(ids.subList(3, 12).stream().map(KeyedClaimsTest::state)).containsOnly(0);
        assertThat(ids.subList(14, 20).stream().map(KeyedClaimsTest::state)).containsOnly(1);
        assertThat(db.number("""
                SELECT count(*) FROM exec_live
                WHERE flow_id = $1 AND flow_state = 0 AND visible_at > run_at AND visible_at < now() + interval '1 s'
                """, FlowKey.of("rated", "a").id())).isGreaterThanOrEqualTo(9);
    }

    @Test
    void strictOrderHoldsOverRetries() throws InterruptedException {
        var ids = queue("strict", "a", 3);
        assertThat(claim(10).claims()).isEmpty();
        awaitState(ids.getFirst(), 2);

        var first = claim(10).claims();
        assertThat(ids(first)).containsExactly(ids.getFirst());
        retry(first.getFirst(), Duration.ZERO);
        assertThat(state(ids.getFirst())).isEqualTo(2);
        assertThat(state(ids.get(1))).isEqualTo(1);
        var second = claim(10).claims();
        assertThat(ids(second)).containsExactly(ids.getFirst());
        end(second.getFirst());

        awaitState(ids.get(1), 2);
        assertThat(ids(claim(10).claims())).containsExactly(ids.get(1));
        assertThat(open("strict", "a")).isEqualTo(1);
    }

    @Test
    void aKeyWithoutCountersGetsThem() {
        var id = queue("capped", "f", 1).getFirst();
        db.execute(
                "DELETE FROM flow_limits WHERE flow_id = $1",
                FlowKey.of("capped", "f").id());

        assertThat(claim(10).claims()).isEmpty();

        assertThat(ids(claim(10).claims())).containsExactly(id);
        assertThat(open("capped", "f")).isEqualTo(1);
    }

    @Test
    void aKeyThatCannotGetCountersKeepsNoOtherFromBeingClaimed() {
        var id = queue("capped", "h", 1).getFirst();
        var other = queue("capped", "i", 1).getFirst();
        db.execute(
                "DELETE FROM flow_limits WHERE flow_id = $1",
                FlowKey.of("capped", "i").id());
        db.execute("ALTER TABLE flow_limits ADD CONSTRAINT on_purpose CHECK (flow_key <> 'i')");
        try {
            assertThat(ids(claim(10).claims())).containsExactly(id);
        } finally {
            db.execute("ALTER TABLE flow_limits DROP CONSTRAINT on_purpose");
        }

        assertThat(claim(10).claims()).isEmpty();
        assertThat(ids(claim(10).claims())).containsExactly(other);
    }

    @Test
    @NeedsOwnServer("It says which sessions wait.")
    void aKeyWhoseCountersAreWaitedForKeepsNoOtherFromBeginning() throws InterruptedException {
        var id = queue("capped", "h", 1).getFirst();
        var _ = queue("capped", "i", 1);
        var waited = FlowKey.of("capped", "i").id();
        db.execute("DELETE FROM flow_limits WHERE flow_id = $1", waited);
        try (var making = HeldTransaction.on(db)) {
            var _ = making.run(
                    "INSERT INTO flow_limits (flow_id, endpoint, flow_key) VALUES ($1, 'capped', 'i')", waited);

            assertThat(ids(claim(10).claims())).containsExactly(id);

            // The counters are still waited for, but the claim is not.
            assertThat(db.number("SELECT count(*) FROM pg_stat_activity"
                            + " WHERE datname = current_database() AND wait_event_type = 'Lock'"))
                    .isEqualTo(1);
        }
        Eventually.await(
                "it has counters",
                BOUND,
                () -> db.number("SELECT count(*) FROM flow_limits WHERE flow_id = $1", waited) == 1);
    }

    @Test
    void aClaimThatWaitedForTheCounterOfItsKeyAddsToWhatTheOtherHasLeft() throws Exception {
        var id = queue("capped", "g", 1).getFirst();
        try (var other = HeldTransaction.on(db)) {
            other.run(
                    "UPDATE flow_limits SET open = open + 1 WHERE flow_id = $1",
                    FlowKey.of("capped", "g").id());
            var claimed = other.blocks(leases.claimKeyed(LANES, 10, LEASE, WORKER));
            other.commit();

            assertThat(ids(claimed.get(20, TimeUnit.SECONDS).claims())).containsExactly(id);
        }

        assertThat(open("capped", "g")).isEqualTo(2);
    }

    /** Ten processes claim, end, fail and hand back; a counter of our own sees how many of a key run. */
    @Test
    void tenProcessesNeverRunMoreOfAKeyThanItsCap() throws Exception {
        var keys = List.of("x", "y", "z");
        var all = new ArrayList<UUID>();
        keys.forEach(key -> all.addAll(queue("many", key, 100)));
        var running = new ConcurrentHashMap<Long, AtomicInteger>();
        var most = new AtomicInteger();
        try (var threads = Executors.newFixedThreadPool(10)) {
            var done = IntStream.range(0, 10)
                    .mapToObj(_ -> threads.submit(() -> work(running, most)))
                    .toList();
            for (var thread : done) {
                thread.get();
            }
        }

        assertThat(most.get()).isEqualTo(3);
        assertThat(db.number("SELECT count(*) FROM exec_live WHERE execution_id = ANY($1)", (Object)
                        all.toArray(UUID[]::new)))
                .isZero();
        for (var key : keys) {
            assertThat(open("many", key)).isZero();
        }
    }

    private static void work(ConcurrentHashMap<Long, AtomicInteger> running, AtomicInteger most) {
        var recording = Stores.recorder(db.database());
        var claiming = Stores.leases(db.database());
        // Serializable transactions of ten processes conflict for long.
        var until = System.nanoTime() + BOUND.multipliedBy(6).toNanos();
        while (System.nanoTime() < until
                && db.number("SELECT count(*) FROM exec_live WHERE lane < 0 AND flow_id = ANY($1)", (Object) many())
                        > 0) {
            var claims = awaitRepeated(() -> claiming.claimKeyed(LANES, 20, LEASE, WORKER))
                    .claims();
            for (var claim : claims) {
                var count = running.computeIfAbsent(claim.flowId(), _ -> new AtomicInteger());
                most.accumulateAndGet(count.incrementAndGet(), Math::max);
            }
            for (var claim : claims) {
                Objects.requireNonNull(running.get(claim.flowId())).decrementAndGet();
                var transition = ThreadLocalRandom.current().nextInt(4) == 0 && claim.attempt() < 3
                        ? new Transition.RetryAfter(Duration.ZERO, Rows.json("{'type': 'TIMEOUT', 'message': 'm'}"))
                        : new Transition.Succeed(Rows.json("{}"));
                assertThat(awaitRepeated(() -> recording.record(claim, WORKER, transition)))
                        .isTrue();
            }
        }
    }

    private static Long[] many() {
        return List.of("x", "y", "z").stream()
                .map(key -> FlowKey.of("many", key).id())
                .toArray(Long[]::new);
    }
}
