package io.taskexec.scheduler;

import static io.taskexec.testing.TestDb.await;
import static io.taskexec.testing.TestDb.awaitRepeated;
import static io.taskexec.testing.TestDb.repeated;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.Uuid7;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.Transition;
import io.taskexec.store.execution.LeaseStore;
import io.taskexec.store.execution.ResultRecorder;
import io.taskexec.store.execution.RetentionStore;
import io.taskexec.store.job.IdempotencyKeyStore;
import io.taskexec.store.job.NewJob;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import io.taskexec.testing.TestJob;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The main ways through the tables, by many at once, where every transaction is serializable and so may be refused. */
class SerializableTest {
    private static final int JOBS = 300;
    private static final int KEYED_JOBS = 60;
    private static final int CLIENTS = 3;
    private static final Integer[] LANES = {4};

    @RegisterExtension
    private static final ScheduleBed bed = new ScheduleBed(TestDb.serializable());

    @Test
    void itIsWhatThisTestIsAbout() {
        assertThat(bed.db.row("SHOW default_transaction_isolation").getString(0))
                .isEqualTo("serializable");
    }

    @Test
    void jobsOfManyAreCreatedClaimedAndRecordedOnce() throws InterruptedException {
        var workers = IntStream.range(0, CLIENTS).mapToObj(_ -> new Work()).toList();
        var creators = IntStream.range(0, CLIENTS)
                .mapToObj(_ -> Thread.ofVirtual().start(SerializableTest::createAll))
                .toList();
        var running =
                workers.stream().map(work -> Thread.ofVirtual().start(work)).toList();
        for (var creator : creators) {
            creator.join();
        }
        for (var worker : running) {
            worker.join();
        }

        assertThat(bed.db.number("SELECT count(*) FROM executions WHERE status = 'SUCCESS' AND attempt_count = 1"))
                .isEqualTo(JOBS);
        var claimed = workers.stream().flatMap(work -> work.claimed.stream()).toList();
        assertThat(claimed).hasSize(JOBS).doesNotHaveDuplicates();
    }

    /** Each client wants the same keys, so that each job is created once and found by the others. */
    private static void createAll() {
        var creator = Stores.creator(
                bed.db.database(),
                new IdempotencyKeyStore(bed.db.database(), () -> 24),
                new DueSignal(),
                bed.db.region("default"));
        var results = await(Uni.join()
                .all(IntStream.range(0, JOBS)
                        .mapToObj(n -> repeated(() -> creator.create(job("key-" + n))))
                        .toList())
                .andFailFast());
        assertThat(results)
                .allMatch(result -> result instanceof NewJob.Result.Created
                        || (result instanceof NewJob.Result.Duplicate(var _, var same) && same));
    }

    private static NewJob job(String key) {
        return new TestJob().key(key).fingerprint(new UUID(0, 0)).made();
    }

    /** Claims and records until all are done. */
    private static final class Work implements Runnable {
        final List<UUID> claimed = new ArrayList<>();
        private final UUID id = UUID.randomUUID();
        private final LeaseStore leases = Stores.leases(bed.db.database());
        private final ResultRecorder recorder = Stores.recorder(bed.db.database());

        @Override
        public void run() {
            var deadline = Instant.now().plus(TestDb.PATIENCE);
            while (bed.db.number("SELECT count(*) FROM executions") < JOBS) {
                assertThat(Instant.now()).isBefore(deadline);
                awaitRepeated(() -> leases.claim(LANES, 10, Duration.ofSeconds(60), id))
                        .forEach(this::end);
            }
        }

        private void end(Claim claim) {
            claimed.add(claim.executionId());
            assertThat(awaitRepeated(() ->
                            recorder.record(claim, id, new Transition.Succeed(JsonNodeFactory.instance.objectNode()))))
                    .isTrue();
        }
    }

    @Test
    void theCapOfAFlowKeyHoldsAndEachExecutionEndsOnce() throws InterruptedException {
        bed.rows.endpoint("capped").insert();
        bed.rows.flowPolicy("capped", "max_concurrency", "2");
        for (var n = 0; n < KEYED_JOBS; n++) {
            var _ = bed.rows.live().endpoint("capped").flow("a").insert();
        }
        var running = new AtomicInteger();
        var most = new AtomicInteger();

        var clients = IntStream.range(0, CLIENTS)
                .mapToObj(_ -> Thread.ofVirtual().start(() -> workOffKeyed(running, most)))
                .toList();
        for (var client : clients) {
            client.join();
        }

        assertThat(most).hasValueBetween(1, 2);
        assertThat(bed.db.number("SELECT count(*) FROM executions WHERE status = 'SUCCESS' AND attempt_count = 1"))
                .isEqualTo(KEYED_JOBS);
        assertThat(bed.db.number("SELECT coalesce(sum(open), 0) FROM flow_limits"))
                .isZero();
    }

    private static void workOffKeyed(AtomicInteger running, AtomicInteger most) {
        var leases = Stores.leases(bed.db.database());
        var recorder = Stores.recorder(bed.db.database());
        var worker = UUID.randomUUID();
        var deadline = Instant.now().plus(TestDb.PATIENCE);
        while (bed.db.number("SELECT count(*) FROM executions") < KEYED_JOBS) {
            assertThat(Instant.now()).isBefore(deadline);
            var claims = awaitRepeated(() -> leases.claimKeyed(
                            new Integer[] {Lanes.keyed(LANES[0])}, 10, Duration.ofSeconds(60), worker))
                    .claims();
            most.accumulateAndGet(running.addAndGet(claims.size()), Math::max);
            for (var claim : claims) {
                running.decrementAndGet();
                assertThat(awaitRepeated(() -> recorder.record(
                                claim, worker, new Transition.Succeed(JsonNodeFactory.instance.objectNode()))))
                        .isTrue();
            }
        }
    }

    @Test
    void twoSchedulersAtOnceFireEveryTickOnce() throws InterruptedException {
        var begin = Instant.now().minus(Duration.ofHours(1));
        var jobs =
                IntStream.range(0, 10).mapToObj(_ -> bed.minutely().due(begin)).toList();

        var schedulers = IntStream.range(0, CLIENTS)
                .mapToObj(_ -> Thread.ofVirtual().start(bed::runUntilNothingIsDue))
                .toList();
        for (var scheduler : schedulers) {
            scheduler.join();
        }

        assertThat(jobs).allSatisfy(job -> {
            assertThat(bed.live(job)).hasSizeBetween(60, 62).doesNotHaveDuplicates();
            assertThat(bed.count(job, "FIRED")).isEqualTo(bed.live(job).size());
        });
    }

    @Test
    void twoRetentionsAtOnceRemoveWhatIsOldAndLeaveTheWorkBesideThem() throws InterruptedException {
        for (var n = 0; n < JOBS; n++) {
            var _ = bed.rows
                    .finished()
                    .attempts(2)
                    .key("old-" + n)
                    .endedAgo(Duration.ofDays(31 + n))
                    .insert();
        }
        var before = bed.db.number("SELECT count(*) FROM exec_live");

        var removing = IntStream.range(0, 2)
                .mapToObj(_ -> Thread.ofVirtual().start(SerializableTest::removeAll))
                .toList();
        createAll();
        for (var one : removing) {
            one.join();
        }

        assertThat(bed.db.number("SELECT count(*) FROM executions WHERE completed_at < now() - interval '30 days'"))
                .isZero();
        assertThat(bed.db.number("SELECT count(*) FROM attempts")).isZero();
        assertThat(bed.db.number("SELECT count(*) FROM jobs WHERE idempotency_key LIKE 'old-%'"))
                .isZero();
        assertThat(bed.db.number("SELECT count(*) FROM exec_live")).isEqualTo(before + JOBS);
    }

    private static void removeAll() {
        var store = new RetentionStore(bed.db.database());
        var end = Instant.now().minus(Duration.ofDays(30));
        @Nullable UUID after = new UUID(0, 0);
        while (after != null) {
            after = removeSome(store, end, after);
        }
    }

    private static @Nullable UUID removeSome(RetentionStore store, Instant end, UUID after) {
        return awaitRepeated(() -> store.deleteEndedBefore(end, after, Uuid7.floor(end), 50))
                .last();
    }
}
