package io.taskexec.region;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.Rows.json;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.Uuid7;
import io.taskexec.model.activity.WorkerActivity;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.Transition;
import io.taskexec.store.job.IdempotencyKeyStore;
import io.taskexec.store.job.NewJob;
import io.taskexec.store.region.HeartbeatStore;
import io.taskexec.store.region.RegionFilter;
import io.taskexec.store.region.RegionStore;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.sql.LimitReachedException;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.store.worker.WorkerStore;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import io.taskexec.testing.TestJob;
import io.vertx.mutiny.sqlclient.Row;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreTest
class FailoverTest {
    private static final Duration SILENCE = Duration.ofSeconds(30);
    private static final Duration LEASE = Duration.ofMinutes(1);

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    @BeforeAll
    static void open() {
        rows.endpoint(ENDPOINT).insert();
    }

    @BeforeEach
    void clear() {
        db.execute("DELETE FROM region_status");
        db.execute("DELETE FROM region_heartbeats");
    }

    /** A region with one process that has all roles. */
    private static final class Simulated {
        final String name;
        final UUID worker = UUID.randomUUID();
        final RegionFilter filter;
        final Failover failover;

        Simulated(String name) {
            this.name = name;
            filter = db.region(name);
            failover = new Failover(new RegionStore(db.database()), filter, SILENCE);
            await(filter.refresh());
            live();
        }

        void live() {
            await(new HeartbeatStore(db.database()).live(filter.home(), List.of("api", "worker", "scheduler")));
            await(new WorkerStore(db.database(), new DueSignal())
                    .beat(worker, "host", filter.home(), new WorkerActivity(1, 0, 0, 7, List.of()), Map.of()));
        }

        /** It was last heard of so long ago, and registered before that. */
        void silentFor(Duration time) {
            var ms = time.toMillis();
            db.execute(
                    "UPDATE region_heartbeats SET last_beat_at = now() - $2::bigint * interval '1 ms' WHERE region ="
                            + " $1",
                    name,
                    ms);
            db.execute(
                    "UPDATE workers SET last_seen_at = now() - $2::bigint * interval '1 ms' WHERE worker_id = $1",
                    worker,
                    ms);
            db.execute("UPDATE region_status SET updated_at = now() - interval '1 day' WHERE region = $1", name);
        }

        void evaluate() {
            assertThat(await(failover.runOnce())).isEqualTo(Duration.ofSeconds(5));
        }

        UUID job() {
            var creator = Stores.creator(
                    db.database(), new IdempotencyKeyStore(db.database(), () -> 24), new DueSignal(), filter);
            var id = Uuid7.next();
            var job = new TestJob().id(id).made();
            assertThat(await(creator.create(job))).isInstanceOf(NewJob.Result.Created.class);
            return id;
        }

        List<Integer> numbers() {
            await(filter.refresh());
            return await(filter.numbers());
        }

        List<Claim> claim() {
            var lanes = Lanes.of(Lanes.lines(List.of(0), numbers()));
            return await(Stores.leases(db.database()).claim(lanes, 10, LEASE, worker));
        }

        List<UUID> claimed() {
            return claim().stream().map(Claim::executionId).toList();
        }
    }

    private static Row status(String region) {
        return db.row("SELECT *, failed_at IS NOT NULL AS failed FROM region_status WHERE region = $1", region);
    }

    @Test
    void aRegionThatIsAloneHasTheLanesOfNoRegionWhateverItsName() {
        var only = new Simulated("eu-1");

        assertThat(only.numbers()).containsExactly(0);
        var id = only.job();
        var row = db.row("SELECT j.region, l.lane, l.region AS live FROM jobs j JOIN exec_live l USING (job_id)");
        assertThat(row.getInteger("lane")).isEqualTo(4);
        assertThat(row.getString("region")).isEqualTo("eu-1");
        assertThat(row.getString("live")).isEqualTo("eu-1");
        assertThat(only.claimed()).containsExactly(id);
    }

    @Test
    void withOneRegionNothingIsDecided() {
        var only = new Simulated("default");
        only.silentFor(Duration.ofHours(1));

        only.evaluate();

        assertThat(status("default").getBoolean("alive")).isTrue();
        assertThat(status("default").getString("adopted_by")).isNull();
    }

    @Test
    void eachRegionDoesItsOwnWorkAndNotThatOfOthersThatLive() {
        var one = new Simulated("one");
        var two = new Simulated("two");
        var jobOfOne = one.job();
        var jobOfTwo = two.job();
        one.evaluate();
        two.evaluate();

        assertThat(two.claimed()).containsExactly(jobOfTwo);
        assertThat(one.claimed()).containsExactly(jobOfOne);
    }

    @Test
    void theWorkOfASilentRegionIsAdoptedAndGivenBackWhenItIsHeardAgain() {
        var silent = new Simulated("one");
        var living = new Simulated("two");
        var waiting = silent.job();
        silent.silentFor(SILENCE.plusSeconds(1));

        living.evaluate();

        assertThat(status("one").getBoolean("alive")).isFalse();
        assertThat(status("one").getString("adopted_by")).isEqualTo("two");
        assertThat(status("one").getBoolean("failed")).isTrue();
        assertThat(living.claimed()).containsExactly(waiting);

        silent.live();
        living.evaluate();

        assertThat(status("one").getBoolean("alive")).isTrue();
        assertThat(status("one").getString("adopted_by")).isNull();
        assertThat(status("one").getBoolean("failed")).isFalse();
        var next = silent.job();
        assertThat(living.claimed()).isEmpty();
        assertThat(silent.claimed()).containsExactly(next);
    }

    @Test
    void whatASilentRegionWasDoingIsDoneByTheAdopterAndItsOwnResultIsRefused() {
        var silent = new Simulated("one");
        var living = new Simulated("two");
        var id = silent.job();
        var lost = silent.claim().getFirst();
        silent.silentFor(SILENCE.plusSeconds(1));
        var workers = new WorkerStore(db.database(), new DueSignal());
        assertThat(await(workers.silentFor(Duration.ofSeconds(15)))).containsExactly(silent.worker);
        assertThat(await(workers.reclaim(List.of(silent.worker), Duration.ofSeconds(15))))
                .isEqualTo(1);

        living.evaluate();
        var adopted = living.claim().getFirst();
        var recorder = Stores.recorder(db.database());
        var success = new Transition.Succeed(json("{}"));

        assertThat(adopted.executionId()).isEqualTo(id);
        assertThat(adopted.attempt()).isEqualTo(2);
        silent.live();
        assertThat(await(recorder.record(lost, silent.worker, success))).isFalse();
        assertThat(await(recorder.record(adopted, living.worker, success))).isTrue();
        assertThat(db.row("SELECT status, region, worker_id FROM executions").deepToString())
                .contains("SUCCESS", "one", living.worker.toString());
    }

    @Test
    void whileBothDoItAfterItsReturnEachExecutionIsClaimedOnce() {
        var back = new Simulated("one");
        var adopter = new Simulated("two");
        back.silentFor(SILENCE.plusSeconds(1));
        adopter.evaluate();
        back.live();
        var jobs = IntStream.range(0, 20).mapToObj(_ -> back.job()).toList();

        // The adopter has not looked yet.
        var claims = await(Uni.join()
                .all(IntStream.range(0, 4)
                        .mapToObj(n -> Uni.createFrom()
                                .deferred(() -> Stores.leases(db.database())
                                        .claim(
                                                Lanes.of(Lanes.lines(
                                                        List.of(0), n % 2 == 0 ? List.of(0) : List.of(0, 1))),
                                                10,
                                                LEASE,
                                                n % 2 == 0 ? back.worker : adopter.worker)))
                        .toList())
                .andFailFast());
        // What was locked by one of them may have been left by the others.
        var rest = await(Stores.leases(db.database())
                .claim(Lanes.of(Lanes.lines(List.of(0), List.of(0, 1))), jobs.size(), LEASE, adopter.worker));

        assertThat(Stream.concat(claims.stream().flatMap(List::stream), rest.stream())
                        .map(Claim::executionId))
                .containsExactlyInAnyOrderElementsOf(jobs);
    }

    @Test
    void ofSeveralLivingRegionsOneAdopts() {
        var silent = new Simulated("one");
        var others = List.of(new Simulated("two"), new Simulated("three"), new Simulated("four"));
        silent.silentFor(SILENCE.plusSeconds(1));

        var _ = await(Uni.join()
                .all(others.stream().map(other -> other.failover.runOnce()).toList())
                .andFailFast());

        assertThat(others.stream().filter(other -> other.numbers().size() == 2)).hasSize(1);
    }

    @Test
    void whenTheAdopterIsSilentTooAnotherTakesOverBoth() {
        var one = new Simulated("one");
        var two = new Simulated("two");
        var three = new Simulated("three");
        one.silentFor(SILENCE.plusSeconds(1));
        two.evaluate();
        three.evaluate();
        assertThat(three.numbers()).containsExactly(2);

        two.silentFor(SILENCE.plusSeconds(1));
        db.execute("UPDATE region_status SET updated_at = now() - interval '1 day'");
        three.evaluate();

        assertThat(three.numbers()).containsExactly(0, 1, 2);
    }

    @Test
    void aRegionIsNotAdoptedBeforeItsTimeNorByOneWithoutWorkers() {
        var early = new Simulated("one");
        var other = new Simulated("two");
        early.silentFor(SILENCE.minusSeconds(5));
        other.evaluate();
        assertThat(other.numbers()).containsExactly(1);

        early.silentFor(SILENCE.plusSeconds(1));
        other.silentFor(SILENCE.plusSeconds(1));
        other.evaluate();
        assertThat(other.numbers()).containsExactly(1);

        // Its worker may still be starting.
        other.live();
        db.execute("UPDATE region_status SET updated_at = now() WHERE region = 'one'");
        other.evaluate();
        assertThat(other.numbers()).containsExactly(1);
    }

    @Test
    void aRegionThatOnlyTakesRequestsLeavesItsWorkToOthers() {
        var requests = new Simulated("one");
        var other = new Simulated("two");
        requests.silentFor(SILENCE.plusSeconds(1));
        await(new HeartbeatStore(db.database()).live(requests.filter.home(), List.of("api")));
        var id = requests.job();

        other.evaluate();

        assertThat(other.claimed()).containsExactly(id);
    }

    @Test
    void regionsThatComeAtTheSameTimeGetNumbersOfTheirOwnAndTheNinthGetsNone() {
        var filters = IntStream.range(0, 8).mapToObj(n -> db.region("r" + n)).toList();

        var numbers = await(Uni.join()
                .all(filters.stream().map(RegionFilter::number).toList())
                .andFailFast());

        assertThat(numbers).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7);
        assertThatExceptionOfType(LimitReachedException.class)
                .isThrownBy(() -> await(db.region("ninth").number()))
                .withMessage("There are 8 regions already, and TE_REGION names another one.");
    }

    @Test
    void aRegionThatWasRemovedWhileItLivesIsRegisteredAgain() {
        var one = new Simulated("one");
        var two = new Simulated("two");
        db.execute("DELETE FROM region_status WHERE region = 'one'");

        assertThat(two.numbers()).containsExactly(1);
        assertThat(one.numbers()).containsExactly(0);
    }
}
