package io.taskexec.store.flow;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.Transition;
import io.taskexec.model.flow.AdaptiveLimit;
import io.taskexec.model.flow.FlowKey;
import io.taskexec.store.execution.LeaseStore;
import io.taskexec.store.execution.ResultRecorder;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
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
class AdaptiveLimitStoreTest {
    private static final Duration BOUND = Duration.ofSeconds(20);
    private static final Duration LEASE = Duration.ofSeconds(60);
    private static final UUID WORKER = UUID.randomUUID();
    private static final Integer[] PLAIN = Lanes.of(List.of(0));
    private static final Integer[] KEYED =
            Arrays.stream(PLAIN).map(Lanes::keyed).toArray(Integer[]::new);
    private static final String ENDPOINT = "adapting";

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static AdaptiveLimitStore store;
    private static LeaseStore leases;
    private static ResultRecorder recorder;

    @BeforeAll
    static void open() {
        store = new AdaptiveLimitStore(db.database(), new FlowReleases(db.database(), new DueSignal()));
        leases = Stores.leases(db.database());
        recorder = Stores.recorder(db.database());
        for (var name : List.of(ENDPOINT, "per-key", "strict", "capped")) {
            rows.endpoint(name).insert();
        }
        flow("per-key", "{'key': '{{input.tenant}}', 'max_concurrency': 5}");
        flow("strict", "{'order': 'fifo'}");
        flow("capped", "{'max_concurrency': 3}");
    }

    private static void flow(String endpoint, String flow) {
        db.execute(
                "UPDATE endpoint_versions SET flow = $2::text::json WHERE name = $1",
                endpoint,
                Rows.json(flow).toString());
    }

    @BeforeEach
    void clear() {
        rows.clearJobs();
        db.execute("DELETE FROM flow_policies");
        db.execute("DELETE FROM endpoint_events");
    }

    private static boolean begin(String endpoint, int limit, @Nullable Integer ceiling) {
        return await(store.begin(endpoint, limit, ceiling, "a test"));
    }

    private static AdaptiveLimit only() {
        var all = await(store.all());
        assertThat(all).hasSize(1);
        return all.getFirst();
    }

    private static void queue(int count) {
        for (var i = 0; i < count; i++) {
            rows.live().endpoint(ENDPOINT).insert();
        }
    }

    private static List<Claim> claimPlain(int most) {
        return await(leases.claim(PLAIN, most, LEASE, WORKER));
    }

    private static List<Claim> claimKeyed(int most) {
        return await(leases.claimKeyed(KEYED, most, LEASE, WORKER)).claims();
    }

    private static void record(Claim claim, Transition transition) {
        assertThat(await(recorder.record(claim, WORKER, transition))).isTrue();
    }

    private static void park(List<Claim> claims) {
        await(Uni.join()
                .all(claims.stream()
                        .map(claim -> recorder.record(claim, WORKER, new Transition.Park()))
                        .toList())
                .andFailFast());
    }

    private static void awaitFree(int count) throws InterruptedException {
        Eventually.await(
                count + " are free",
                BOUND,
                () -> db.number("SELECT count(*) FROM exec_live WHERE lane < 0 AND flow_state = 0") == count);
    }

    @Test
    void aLimitBeginsOnceAndIsToldInAnEvent() {
        assertThat(begin(ENDPOINT, 8, 16)).isTrue();
        assertThat(begin(ENDPOINT, 4, 8)).isFalse();

        var limit = only();
        assertThat(limit.limit()).isEqualTo(8);
        assertThat(limit.ceiling()).isEqualTo(16);
        assertThat(limit.sinceRefusal()).isNotNull();
        assertThat(await(store.find(ENDPOINT))).isEqualTo(8);
        assertThat(db.number("SELECT count(*) FROM endpoint_events WHERE kind = 'LIMITED'"))
                .isEqualTo(1);
    }

    @Test
    void aReceiverThatHasRecoveredBeginsAnew() {
        assertThat(begin(ENDPOINT, 8, 16)).isTrue();

        assertThat(begin(ENDPOINT, 1, null)).isTrue();

        assertThat(only().limit()).isEqualTo(1);
        assertThat(only().ceiling()).isNull();
        assertThat(only().sinceRefusal()).isNull();
    }

    @Test
    void whereKeysHaveLimitsOrTheOrderIsStrictOrAttemptsAreCompletedLaterThereIsNone() {
        rows.endpoint("deferring").insert();
        db.execute("UPDATE endpoint_versions SET completion = '{}' WHERE name = 'deferring'");

        assertThat(begin("per-key", 8, 16)).isFalse();
        assertThat(begin("strict", 8, 16)).isFalse();
        assertThat(begin("deferring", 8, 16)).isFalse();
        assertThat(begin("missing", 8, 16)).isFalse();
        assertThat(await(store.all())).isEmpty();
    }

    @Test
    void ofTenWorkersThatChangeALimitAtOnceOneDoes() throws Exception {
        assertThat(begin(ENDPOINT, 8, 16)).isTrue();
        var limit = only();
        try (var workers = Executors.newFixedThreadPool(10)) {
            var results = workers.invokeAll(IntStream.range(0, 10)
                    .<Callable<Boolean>>mapToObj(n -> () -> await(store.change(limit, 20 + n, 16, false)))
                    .toList());
            var changed = 0;
            for (var result : results) {
                changed += result.get() ? 1 : 0;
            }
            assertThat(changed).isEqualTo(1);
        }
        assertThat(only().limit()).isBetween(20, 29);
        assertThat(await(store.end(limit, "too late"))).isFalse();
    }

    @Test
    void whatIsParkedComesBackAsOftenAsThereIsRoom() throws InterruptedException {
        queue(5);
        assertThat(begin(ENDPOINT, 2, 4)).isTrue();

        park(claimPlain(10));

        awaitFree(2);
        assertThat(db.number("SELECT count(*) FROM exec_live WHERE attempt <> 0 OR lease_token IS NOT NULL"))
                .isZero();
        assertThat(claimPlain(10)).isEmpty();
        var claims = claimKeyed(10);
        assertThat(claims).hasSize(2);
        assertThat(only().open()).isEqualTo(2);
        assertThat(only().hasLine()).isTrue();
        record(claims.getFirst(), new Transition.Succeed(Rows.json("{}")));
        awaitFree(1);
        assertThat(claimKeyed(10)).hasSize(1);

        assertThat(await(store.change(only(), 4, 8, false))).isTrue();
        awaitFree(2);
        assertThat(claimKeyed(10)).hasSize(2);
        assertThat(only().open()).isEqualTo(4);
    }

    @Test
    void aHigherLimitNotesARelease() {
        rows.live().endpoint(ENDPOINT).parked("").insert();
        db.execute("UPDATE flow_limits SET lined = true");
        assertThat(begin(ENDPOINT, 2, 4)).isTrue();
        // As if we died before we release anything.
        var dying = new AdaptiveLimitStore(db.database(), FlowReleases.none(db.database()));

        assertThat(await(dying.change(only(), 1, 2, true))).isTrue();
        assertThat(db.number("SELECT count(*) FROM flow_limits WHERE release_at IS NOT NULL"))
                .isZero();

        assertThat(await(dying.change(only(), 2, 2, false))).isTrue();
        assertThat(db.number("SELECT count(*) FROM flow_limits WHERE release_at <= now()"))
                .isEqualTo(1);
    }

    @Test
    void onlyItsOwnLeaseParksAnExecution() {
        queue(1);
        assertThat(begin(ENDPOINT, 2, 4)).isTrue();
        var claim = claimPlain(1).getFirst();
        db.execute("UPDATE exec_live SET lease_token = lease_token + 1");

        assertThat(await(recorder.record(claim, WORKER, new Transition.Park()))).isFalse();

        assertThat(db.number("SELECT count(*) FROM exec_live WHERE lane < 0")).isZero();
    }

    @Test
    void aLowerLimitLetsWhatRunsGoOnAndNothingElseBegin() throws InterruptedException {
        queue(6);
        assertThat(begin(ENDPOINT, 3, 4)).isTrue();
        park(claimPlain(10));
        awaitFree(3);
        var claims = claimKeyed(10);

        assertThat(await(store.change(only(), 1, 3, true))).isTrue();
        record(claims.get(0), new Transition.Succeed(Rows.json("{}")));
        record(claims.get(1), new Transition.Succeed(Rows.json("{}")));
        assertThat(await(new FlowReleases(db.database(), new DueSignal())
                        .release(List.of(FlowKey.of(ENDPOINT, "").id()))))
                .isZero();
        record(claims.get(2), new Transition.Succeed(Rows.json("{}")));

        awaitFree(1);
        assertThat(only().sinceRefusal()).isNotNull();
    }

    @Test
    void whenItEndsAllThatWaitsIsReleasedAndTheRowIsGone() throws InterruptedException {
        queue(6);
        assertThat(begin(ENDPOINT, 1, 2)).isTrue();
        park(claimPlain(10));
        awaitFree(1);

        assertThat(await(store.end(only(), "a test"))).isTrue();

        awaitFree(6);
        assertThat(claimKeyed(10)).hasSize(6);
        assertThat(db.number("SELECT count(*) FROM flow_policies")).isZero();
        assertThat(db.number("SELECT count(*) FROM endpoint_events WHERE kind = 'UNLIMITED'"))
                .isEqualTo(1);
    }

    @Test
    void theCapOfAnEndpointStaysWhenItEnds() {
        rows.flowPolicy("capped", "max_concurrency", "3");
        assertThat(begin("capped", 2, 3)).isTrue();
        IntStream.range(0, 5)
                .forEach(_ -> rows.live().endpoint("capped").flow("").insert());
        assertThat(claimKeyed(10)).hasSize(2);

        assertThat(await(store.end(only(), "a test"))).isTrue();

        assertThat(await(store.all())).isEmpty();
        assertThat(db.number("SELECT max_concurrency FROM flow_policies WHERE adaptive_limit IS NULL"))
                .isEqualTo(3);
    }

    @Test
    void tenWorkersTogetherKeepTheLimit() throws Exception {
        queue(300);
        assertThat(begin(ENDPOINT, 7, 14)).isTrue();
        var ended = new AtomicInteger();
        var now = new AtomicInteger();
        var most = new AtomicInteger();
        try (var workers = Executors.newFixedThreadPool(10)) {
            var results = workers.invokeAll(IntStream.range(0, 10)
                    .<Callable<@Nullable Void>>mapToObj(_ -> () -> {
                        while (ended.get() < 300) {
                            park(claimPlain(20));
                            var claims = claimKeyed(3);
                            most.accumulateAndGet(now.addAndGet(claims.size()), Math::max);
                            for (var claim : claims) {
                                now.decrementAndGet();
                                record(claim, new Transition.Succeed(Rows.json("{}")));
                                ended.incrementAndGet();
                            }
                        }
                        return null;
                    })
                    .toList());
            for (var result : results) {
                assertThat(Objects.requireNonNull(result).get()).isNull();
            }
        }
        assertThat(most.get()).isLessThanOrEqualTo(7);
        assertThat(db.number("SELECT sum(open) FROM flow_limits")).isZero();
    }
}
