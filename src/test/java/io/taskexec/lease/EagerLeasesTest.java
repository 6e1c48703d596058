package io.taskexec.lease;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.taskexec.loop.LoopTimer;
import io.taskexec.observe.metrics.Meters;
import io.taskexec.resolve.RealResolver;
import io.taskexec.secret.KeyRing;
import io.taskexec.secret.SecretCipher;
import io.taskexec.store.execution.LeaseStore;
import io.taskexec.store.execution.PulledClaims;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.job.CancelSignal;
import io.taskexec.store.job.EagerStarts;
import io.taskexec.store.job.IdempotencyKeyStore;
import io.taskexec.store.job.JobCreator;
import io.taskexec.store.job.NewJob;
import io.taskexec.store.job.NewJob.Result;
import io.taskexec.store.pull.LeaseTerms;
import io.taskexec.store.pull.PullQueues;
import io.taskexec.store.sql.Database;
import io.taskexec.store.wakeup.HearingSignal;
import io.taskexec.store.wakeup.ProcessBroadcast;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import io.taskexec.testing.TestJob;
import io.taskexec.wait.RealOutsideResults;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreTest
class EagerLeasesTest {
    private static final int QUEUE = 7;

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private final HeldLeases held = new HeldLeases(new ProcessBroadcast(), new CancelSignal());
    private final LoopTimer timer = new LoopTimer();
    private final LeaseStore leases = Stores.leases(db.database());
    private final PulledClaims store = new PulledClaims(db.database(), FlowReleases.none(db.database()));
    private final EagerStarts starts = new EagerStarts();
    private LeaseBroker broker;
    private JobCreator creator;

    @BeforeAll
    static void makeEndpoint() {
        db.execute("INSERT INTO queues (queue_id, name, pulled) VALUES (%d, 'worker:resize', true)".formatted(QUEUE));
        rows.endpoint("resize").insert();
        db.execute("UPDATE endpoint_versions SET endpoint_type = 'WORKER', spec = '{}', queue_id = %d WHERE name = '%s'"
                .formatted(QUEUE, "resize"));
    }

    @BeforeEach
    void start() {
        var dueSignal = HearingSignal.create();
        var queues = new PullQueues(db.database());
        var claims = new PullClaims(
                store,
                queues,
                new LeaseTerms(db.database()),
                leases,
                db.region("default"),
                RealResolver.on(db.database(), new SecretCipher(KeyRing.parse(KeyRing.generate()))),
                RealOutsideResults.on(db));
        var meters = Meters.of(new SimpleMeterRegistry());
        var calls = new WaitingCalls(held, claims, new LeaseMetrics(meters));
        broker = new LeaseBroker(claims, queues, calls, dueSignal, timer);
        new EagerLeases(starts, broker, calls, claims).start();
        creator = creator(db.database());
    }

    private JobCreator creator(Database database) {
        var keys = new IdempotencyKeyStore(database, () -> 24);
        return Stores.creator(database, keys, HearingSignal.create(), db.region("default"), starts);
    }

    @AfterEach
    void close() {
        db.execute("UPDATE queues SET paused_at = NULL");
        timer.close();
    }

    private static NewJob job(int priority) {
        return new TestJob()
                .endpoint("resize", 1)
                .queue(QUEUE)
                .priority(priority)
                .tags(Set.of("a", "b"))
                .input("{\"n\":1}")
                .pulled()
                .made();
    }

    private static PullCall call(int leastUrgent) {
        var request = new LeaseRequest(
                "worker", List.of("resize"), 5, Duration.ofMinutes(1), Duration.ofSeconds(20), leastUrgent, false);
        return new PullCall(request, null, _ -> true);
    }

    /** A call that waits, since a look has found nothing. */
    private PullCall waiting(int leastUrgent) {
        var call = call(leastUrgent);
        broker.ask(call);
        var _ = await(broker.runOnce());
        return call;
    }

    private static long leasedTo(UUID worker, UUID execution) {
        return db.number(
                "SELECT count(*) FROM exec_live WHERE execution_id = $1 AND worker_id = $2 AND attempt = 1"
                        + " AND visible_at = started_at + interval '20 seconds'",
                execution,
                worker);
    }

    @Test
    void aCallThatWaitsIsAnsweredWithWhatIsCreated() {
        var call = waiting(7);
        var job = job(4);

        var _ = await(creator.create(job));

        assertThat(call.answer())
                .succeedsWithin(TestDb.PATIENCE)
                .satisfies(answer -> assertThat(answer.leases()).singleElement().satisfies(handed -> {
                    assertThat(handed.lease().claim().executionId()).isEqualTo(job.id());
                    assertThat(handed.pulled().priority()).isEqualTo(4);
                    assertThat(handed.pulled().tags()).containsExactlyInAnyOrder("a", "b");
                    assertThat(handed.resolution().input()).hasToString("{\"n\":1}");
                }));
        assertThat(leasedTo(call.workerId(), job.id())).isEqualTo(1);
        assertThat(held.size()).isEqualTo(1);
        assertThat(broker.isAsked()).isFalse();
    }

    @Test
    void aCallThatHasItsAnswerMeanwhileKeepsItsLeasesAndWaitsNoMore() {
        var call = waiting(7);
        var job = job(4);
        var _ = await(creator.create(job));
        assertThat(call.answer()).succeedsWithin(TestDb.PATIENCE);

        broker.answer(call);
        broker.giveBack(call);

        assertThat(leasedTo(call.workerId(), job.id())).isEqualTo(1);
        assertThat(held.size()).isEqualTo(1);
        assertThat(broker.isAsked()).isFalse();
    }

    @Test
    void aCallGetsNothingThatIsLessUrgentThanItAskedFor() {
        var call = waiting(3);

        var _ = await(creator.create(job(4)));

        assertThat(call.answer()).isNotDone();
        assertThat(broker.isAsked()).isTrue();
        assertThat(db.number("SELECT count(*) FROM exec_live WHERE lease_token IS NOT NULL"))
                .isZero();
    }

    @Test
    void whatNoCallGotSinceTheAnswerToItsCreationWasLostIsDueAgainAsIfItHadNotBeenLeased() {
        try (var gate = db.gate()) {
            var creating = creator(db.over(gate));
            var call = waiting(7);
            var job = job(4);

            gate.lose("INSERT 0 1");
            assertThat(await(creating.create(job))).isInstanceOf(Result.Created.class);
            assertThat(gate.hasLost()).isTrue();
            assertThat(leasedTo(call.workerId(), job.id())).isEqualTo(1);
            assertThat(call.answer()).isNotDone();

            await(store.freeLost(leases, Duration.ofHours(1)));
            assertThat(leasedTo(call.workerId(), job.id())).isEqualTo(1);
            await(store.freeLost(leases, Duration.ZERO));
            broker.look();
            var _ = await(broker.runOnce());

            assertThat(call.answer().join().leases()).singleElement().satisfies(handed -> {
                assertThat(handed.lease().claim().executionId()).isEqualTo(job.id());
                assertThat(handed.lease().claim().attempt()).isEqualTo(1);
            });
        }
    }

    @Test
    void aCallThatIsKeptForNothingGoesOnWaiting() {
        var first = job(4);
        var _ = await(creator.create(first));
        db.execute("UPDATE exec_live SET visible_at = now() + interval '1 hour'");
        var call = waiting(7);

        var _ = await(creator.create(first));

        assertThat(call.answer()).isNotDone();
        assertThat(broker.isAsked()).isTrue();
    }

    @Test
    void nothingOvertakesWhatIsDueAlready() {
        var call = call(7);
        broker.ask(call);
        var waits = job(4);
        var _ = await(creator.create(waits));

        assertThat(call.answer()).isNotDone();

        var _ = await(broker.runOnce());
        assertThat(call.answer().join().leases())
                .extracting(handed -> handed.lease().claim().executionId())
                .containsExactly(waits.id());
    }

    @Test
    void aPausedQueueHandsNothingOut() {
        var call = waiting(7);
        db.execute("UPDATE queues SET paused_at = now() WHERE queue_id = %d".formatted(QUEUE));

        var _ = await(creator.create(job(4)));

        assertThat(call.answer()).isNotDone();
        assertThat(db.number("SELECT count(*) FROM exec_live WHERE lease_token IS NOT NULL"))
                .isZero();
    }
}
