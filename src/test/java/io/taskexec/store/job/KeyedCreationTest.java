package io.taskexec.store.job;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.Transition;
import io.taskexec.model.flow.FlowKey;
import io.taskexec.store.execution.LeaseStore;
import io.taskexec.store.execution.ResultRecorder;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.HeldTransaction;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import io.taskexec.testing.TestJob;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreTest
class KeyedCreationTest {
    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final Integer[] LANES =
            Arrays.stream(Lanes.of(List.of(0))).map(Lanes::keyed).toArray(Integer[]::new);

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private JobCreator creator;
    private LeaseStore leases;
    private ResultRecorder recorder;

    @BeforeAll
    static void open() {
        for (var name : List.of("capped", "strict", "fair")) {
            rows.endpoint(name).insert();
        }
        rows.flowPolicy("capped", "max_concurrency", "2");
        rows.flowPolicy("strict", "max_concurrency, fifo", "1, true");
        rows.flowPolicy("fair", "fair", "true");
    }

    @BeforeEach
    void clear() {
        rows.clearJobs();
        creator = creator();
        leases = Stores.leases(db.database());
        recorder = Stores.recorder(db.database());
    }

    private static JobCreator creator() {
        return Stores.creator(
                db.database(), new IdempotencyKeyStore(db.database(), () -> 24), new DueSignal(), db.region("default"));
    }

    private static NewJob job(String endpoint, String key, Duration delay) {
        return new TestJob()
                .endpoint(endpoint, 1)
                .delay(delay)
                .flow(FlowKey.of(endpoint, key))
                .made();
    }

    private UUID create(String endpoint, String key) {
        var job = job(endpoint, key, Duration.ZERO);
        assertThat(await(creator.create(job))).isInstanceOf(NewJob.Result.Created.class);
        return job.id();
    }

    private static int state(UUID id) {
        return db.row("SELECT flow_state FROM exec_live WHERE execution_id = $1", id)
                .getInteger("flow_state");
    }

    private static boolean isLined(String endpoint, String key) {
        return db.number(
                        "SELECT count(*) FROM flow_limits WHERE flow_id = $1 AND lined",
                        FlowKey.of(endpoint, key).id())
                == 1;
    }

    private List<Claim> claim() {
        return await(leases.claimKeyed(LANES, 100, Duration.ofMinutes(1), UUID.randomUUID()))
                .claims();
    }

    private void end(Claim claim) {
        assertThat(await(recorder.record(claim, UUID.randomUUID(), new Transition.Succeed(Rows.json("{}")))))
                .isTrue();
    }

    @Test
    void theLaneIsTheKeyedOneAndTheJobKnowsItsKey() {
        var id = create("capped", "tenant 1");

        var row = db.row(
                "SELECT l.lane, l.flow_id, l.flow_line, l.flow_state, j.flow_id AS of_job, j.flow_key"
                        + " FROM exec_live l JOIN jobs j ON j.job_id = l.job_id WHERE l.execution_id = $1",
                id);
        assertThat(row.getInteger("lane")).isEqualTo(Lanes.keyed(4));
        assertThat(row.getLong("flow_id"))
                .isEqualTo(FlowKey.of("capped", "tenant 1").id())
                .isEqualTo(row.getLong("of_job"));
        assertThat(row.getString("flow_key")).isEqualTo("tenant 1");
        assertThat(row.getInteger("flow_line")).isEqualTo(4);
        assertThat(row.getInteger("flow_state")).isZero();
    }

    @Test
    void theFirstJobOfAKeyIsClaimedOnceItHasCounters() {
        var id = create("capped", "new");

        assertThat(claim()).isEmpty();
        assertThat(claim()).extracting(Claim::executionId).containsExactly(id);
    }

    @Test
    void aJobIsParkedBehindALine() throws InterruptedException {
        var first = List.of(create("capped", "a"), create("capped", "a"), create("capped", "a"));
        assertThat(claim()).isEmpty();
        var claims = claim();
        assertThat(claims).hasSize(2);
        Eventually.await("a line", BOUND, () -> isLined("capped", "a"));

        var last = create("capped", "a");

        assertThat(state(last)).isEqualTo(1);
        end(claims.getFirst());
        Eventually.await("the first in line is free", BOUND, () -> state(first.get(2)) == 0);
        assertThat(state(last)).isEqualTo(1);
        end(claims.get(1));
        Eventually.await("the last is free", BOUND, () -> state(last) == 0);
    }

    @Test
    void jobsOfAStrictKeyWaitInLineForARelease() throws InterruptedException {
        var ids = IntStream.range(0, 3).mapToObj(_ -> create("strict", "a")).toList();

        Eventually.await("the first is released", BOUND, () -> state(ids.getFirst()) == 2);

        assertThat(claim()).extracting(Claim::executionId).containsExactly(ids.getFirst());
        assertThat(state(ids.get(1))).isEqualTo(1);
        assertThat(state(ids.get(2))).isEqualTo(1);
    }

    @Test
    void aJobOfLaterWaitsForItsTimeFirst() {
        var later = job("strict", "later", Duration.ofHours(1));

        assertThat(await(creator.create(later))).isInstanceOf(NewJob.Result.Created.class);

        assertThat(state(later.id())).isZero();
    }

    @Test
    void aFairKeyHasOnlyAFewExecutionsInTheOpen() {
        var jobs = IntStream.range(0, 100)
                .mapToObj(_ -> job("fair", "flood", Duration.ZERO))
                .toList();

        jobs.parallelStream()
                .forEach(one -> assertThat(await(creator.create(one))).isNotNull());

        assertThat(jobs.stream().filter(one -> state(one.id()) == 0).count())
                .isBetween((long) FlowReleases.WINDOW, (long) FlowReleases.WINDOW * 2);
    }

    /** The line that the creator has seen is gone when it parks, and nothing else would release what it parks. */
    @Test
    void aJobIsReleasedThatIsParkedWhileTheLineIsReleased() throws Exception {
        db.execute(
                "INSERT INTO flow_limits (flow_id, endpoint, flow_key, lined) VALUES ($1, 'capped', 'gone', true)",
                FlowKey.of("capped", "gone").id());
        var job = job("capped", "gone", Duration.ZERO);
        try (var other = HeldTransaction.on(db)) {
            other.run(
                    "UPDATE flow_limits SET lined = false WHERE flow_id = $1",
                    FlowKey.of("capped", "gone").id());
            var created = other.blocks(creator.create(job));
            other.commit();
            assertThat(created.get(20, TimeUnit.SECONDS)).isInstanceOf(NewJob.Result.Created.class);
        }

        Eventually.await("it is released", BOUND, () -> state(job.id()) == 0);
    }

    /** The creator waits for the row of another one that it cannot see. */
    @Test
    void twoCreatorsOfANewStrictKeyLeaveNoneBehind() throws Exception {
        var job = job("strict", "twice", Duration.ZERO);
        try (var other = HeldTransaction.on(db)) {
            other.run(
                    "INSERT INTO flow_limits (flow_id, endpoint, flow_key) VALUES ($1, 'strict', 'twice')",
                    FlowKey.of("strict", "twice").id());
            var created = other.blocks(creator.create(job));
            other.commit();
            assertThat(created.get(20, TimeUnit.SECONDS)).isInstanceOf(NewJob.Result.Created.class);
        }

        Eventually.await("it is released", BOUND, () -> state(job.id()) == 2);
    }

    /** Ten processes create jobs of a strict key, claim them and end them. */
    @Test
    void tenProcessesRunAStrictKeyOneByOneAndToTheEnd() throws Exception {
        var running = new AtomicInteger();
        var most = new AtomicInteger();
        var ran = new ConcurrentLinkedQueue<UUID>();
        try (var threads = Executors.newFixedThreadPool(10)) {
            var done = IntStream.range(0, 10)
                    .mapToObj(_ -> threads.submit(() -> work(running, most, ran)))
                    .toList();
            for (var thread : done) {
                thread.get();
            }
        }

        assertThat(most.get()).isEqualTo(1);
        assertThat(ran).hasSize(100).doesNotHaveDuplicates();
        assertThat(db.number("SELECT count(*) FROM exec_live")).isZero();
        assertThat(db.number("SELECT sum(open) FROM flow_limits")).isZero();
    }

    private static void work(AtomicInteger running, AtomicInteger most, ConcurrentLinkedQueue<UUID> ran) {
        var creating = creator();
        var claiming = Stores.leases(db.database());
        var recording = Stores.recorder(db.database());
        for (var i = 0; i < 10; i++) {
            assertThat(await(creating.create(job("strict", "busy", Duration.ZERO))))
                    .isNotNull();
        }
        var until = System.nanoTime() + BOUND.toNanos();
        while (System.nanoTime() < until && ran.size() < 100) {
            var claims = await(claiming.claimKeyed(LANES, 20, Duration.ofMinutes(1), UUID.randomUUID()))
                    .claims();
            for (var claim : claims) {
                most.accumulateAndGet(running.incrementAndGet(), Math::max);
                ran.add(claim.executionId());
                running.decrementAndGet();
                assertThat(await(recording.record(claim, UUID.randomUUID(), new Transition.Succeed(Rows.json("{}")))))
                        .isTrue();
            }
        }
    }
}
