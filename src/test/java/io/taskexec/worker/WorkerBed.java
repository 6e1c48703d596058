package io.taskexec.worker;

import static io.taskexec.testing.TestDb.await;

import io.taskexec.dispatch.Dispatcher;
import io.taskexec.loop.LoopTimer;
import io.taskexec.model.job.Attempt;
import io.taskexec.model.job.Execution;
import io.taskexec.resolve.Resolver;
import io.taskexec.store.endpoint.QueueStore;
import io.taskexec.store.execution.ExecutionStore;
import io.taskexec.store.execution.LaneDirectory;
import io.taskexec.store.execution.LimitedClaims;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.job.EagerStarts;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.store.wakeup.DueSignal.Work;
import io.taskexec.store.worker.WorkerStore;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import io.taskexec.worker.adaptive.AdaptiveLimits;
import io.taskexec.worker.adaptive.TestAdaptive;
import io.taskexec.worker.breaker.TestBreakers;
import io.taskexec.worker.observe.ActivityReport;
import io.taskexec.worker.observe.RecentAttempts;
import io.taskexec.worker.observe.TestObservation;
import io.taskexec.worker.pressure.TestPressure;
import io.taskexec.worker.share.QueueShares;
import io.taskexec.workflow.RealWorkflows;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/** Makes a worker of the parts that are beans in the program. */
final class WorkerBed {
    private WorkerBed() {}

    static Worker worker(TestDb db, Pipeline pipeline, WorkerConfig config, DueSignal dueSignal, LoopTimer timer) {
        return worker(db, pipeline, TestAdaptive.off(db.database()), config, dueSignal, timer);
    }

    static Worker worker(
            TestDb db,
            Pipeline pipeline,
            AdaptiveLimits limits,
            WorkerConfig config,
            DueSignal dueSignal,
            LoopTimer timer) {
        var identity = new WorkerIdentity();
        var region = db.region("default");
        var leases = Stores.leases(db.database());
        var running = new RunningLeases();
        var slots = new Slots(config, running, new AttemptRunner(pipeline, new EventLoops(TestDb.vertx()), identity));
        var queues = new QueueStore(db.database());
        var pressure = TestPressure.none();
        var rotation = new QueueRotation(queues, region, pressure, new PauseGate(queues));
        var poller = poller(db, rotation, slots, running, config, identity, dueSignal);
        var waiting = new WaitingReturn(leases, slots, running);
        var duties = List.<WorkerDuty>of(
                new Heartbeat(
                        new WorkerStore(db.database(), dueSignal),
                        region,
                        identity,
                        slots,
                        running,
                        new ActivityReport(new RecentAttempts(), db.database()),
                        pressure),
                new LeaseKeeper(leases, running, config),
                new LostClaims(leases, running, identity, config),
                waiting,
                new PressureLook(TestPressure.watch(db.database(), pressure), TestPressure.CONFIG, dueSignal),
                new AdaptiveWatch(limits),
                new FlowSweep(new FlowReleases(db.database(), dueSignal), rotation));
        return new Worker(identity, poller, slots, duties, new Drain(waiting, running, config), pipeline, timer);
    }

    static Poller poller(
            TestDb db,
            QueueRotation turns,
            Slots slots,
            RunningLeases running,
            WorkerConfig config,
            WorkerIdentity worker,
            DueSignal dueSignal) {
        return poller(db, turns, slots, running, config, worker, dueSignal, new EagerStarts());
    }

    /** Makes one that {@code starts} may ask for room. */
    static Poller poller(
            TestDb db,
            QueueRotation turns,
            Slots slots,
            RunningLeases running,
            WorkerConfig config,
            WorkerIdentity worker,
            DueSignal dueSignal,
            EagerStarts starts) {
        var leases = Stores.leases(db.database());
        var intake = new Intake(leases, turns, slots, running, config, worker, starts);
        var lines = new LineClaims(leases, turns, slots, intake, dueSignal, config, worker);
        var sharedClaims = Stores.sharedClaims(db.database());
        var shares = new ShareClaims(
                new QueueShares(new LaneDirectory(db.database())),
                sharedClaims,
                new LimitedClaims(db.database(), sharedClaims),
                slots,
                intake,
                config,
                worker);
        var urgent = new UrgentClaims(leases, turns, slots, running, intake, config, worker);
        return new Poller(new QueueClaims(turns, lines, shares), urgent, intake, slots, dueSignal, config);
    }

    /** Makes one that delivers what it claims, without a circuit breaker, and wakes up when something is due. */
    static Worker delivering(
            TestDb db,
            Dispatcher dispatcher,
            Resolver resolver,
            WorkerConfig config,
            DueSignal dueSignal,
            LoopTimer timer) {
        var pipeline = new Pipeline(
                resolver,
                TestDeliveries.of(dispatcher, resolver, db),
                Stores.recorder(db.database(), dueSignal),
                TestBreakers.on(db.database(), TestBreakers.OFF),
                new PauseGate(new QueueStore(db.database())),
                TestObservation.off(),
                RealWorkflows.on(db, dueSignal));
        var made = worker(db, pipeline, config, dueSignal, timer);
        dueSignal.onSignal(Work.PUSHED, made::wake);
        return made;
    }

    /** The execution as it is now. */
    static Execution find(TestDb db, UUID id) {
        var found = await(new ExecutionStore(db.database()).find(id));
        return Objects.requireNonNull(found);
    }

    /** The execution once it has ended. */
    static Execution ended(TestDb db, UUID id) {
        return await(new ExecutionStore(db.database())
                .find(id)
                .map(found -> Objects.requireNonNull(found))
                .repeat()
                .withDelay(Duration.ofMillis(5))
                .whilst(found -> found.completedAt() == null)
                .collect()
                .last());
    }

    static List<Attempt> attempts(TestDb db, UUID id) {
        return await(new ExecutionStore(db.database()).attempts(id, 0, 100));
    }
}
