package io.taskexec.worker;

import io.smallrye.mutiny.TimeoutException;
import io.smallrye.mutiny.Uni;
import io.taskexec.loop.Loop;
import io.taskexec.loop.LoopTimer;
import io.taskexec.model.PublicId;
import io.taskexec.model.TaskProgress;
import io.taskexec.model.Uuid7;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.store.endpoint.QueueStore;
import io.taskexec.store.execution.LeaseStore;
import io.taskexec.store.execution.WorkerStore;
import io.taskexec.store.region.RegionFilter;
import io.taskexec.store.wakeup.DueSignal;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.jboss.logging.Logger;

/** The worker role: its loops, and the order in which they start and stop. */
@Singleton
public final class Worker {
    private static final Logger LOG = Logger.getLogger(Worker.class);
    private static final Duration BEAT = Duration.ofSeconds(5);

    /** The longest wait of an execution for a slot before another worker may claim it. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    /** The longest time to write the last results after all calls were cancelled. */
    private static final Duration LAST_WRITES = Duration.ofSeconds(5);

    private final UUID id = Uuid7.next();
    private final Pipeline pipeline;
    private final WorkerStore workers;
    private final RegionFilter regions;
    private final WorkerConfig config;
    private final EventLoops loops;
    private final RunningLeases running = new RunningLeases();
    private final LeaseStore leases;
    private final Slots slots;
    private final Poller poller;
    private final Loop polling;
    private final Loop keeping;
    private final Loop beating;
    private final Loop freeing;
    private final Loop handingBack;

    Worker(
            Pipeline pipeline,
            LeaseStore leases,
            QueueStore queues,
            WorkerStore workers,
            RegionFilter regions,
            WorkerConfig config,
            EventLoops loops,
            DueSignal dueSignal,
            LoopTimer timer) {
        this.pipeline = pipeline;
        this.leases = leases;
        this.workers = workers;
        this.regions = regions;
        this.config = config;
        this.loops = loops;
        this.slots = new Slots(config.maxConcurrent(), Slots.MOST_WAITING, this::run);
        this.poller = new Poller(leases, new QueueRotation(queues, regions), dueSignal, slots, running, config, id);
        this.polling = new Loop("claiming executions", poller, timer);
        this.keeping = new Loop("renewing leases", new LeaseKeeper(leases, running, config.lease()), timer);
        this.beating = new Loop("heartbeat", this::beat, timer);
        this.handingBack = new Loop("handing back what waits", this::handBackOld, timer);
        this.freeing = new Loop("freeing lost claims", new LostClaims(leases, running, id, config.lease()), timer);
    }

    /** Starts claiming. */
    public void start() {
        LOG.infof("%s runs up to %d executions at a time", PublicId.WORKER.show(id), config.maxConcurrent());
        beating.start();
        keeping.start();
        freeing.start();
        handingBack.start();
        polling.start();
    }

    /** The progress of polling and of lease renewal. */
    public Map<String, TaskProgress> progress() {
        return Map.of(
                "claims", polling.progress(),
                "leases", keeping.progress(),
                "heartbeat", beating.progress(),
                "results", pipeline.progress());
    }

    /** The time that {@link #stop} lets executions run. */
    public Duration shutdownTimeout() {
        return config.shutdownTimeout();
    }

    /** An execution has been cancelled: aborts its outgoing call when it runs here. */
    public void cancel(UUID executionId) {
        running.all().stream()
                .filter(lease -> lease.claim().executionId().equals(executionId))
                .forEach(lease -> lease.cancel(new Outcome.LeaseLost()));
    }

    /** Something has become due: looks at once. */
    public void wake() {
        polling.wake();
    }

    /**
     * Stops claiming, hands back at once what has not begun, lets what runs end within the time allowed, then hands the
     * rest back so that another worker can have it.
     */
    public Uni<Void> stop() {
        poller.stopBeginning();
        return polling.stop()
                .chain(() -> handBackWaiting(Duration.ZERO))
                .chain(() -> drained(config.shutdownTimeout()))
                .invoke(() -> running.cancelAll(new Outcome.Interrupted()))
                .chain(() -> drained(LAST_WRITES))
                .chain(freeing::stop)
                .chain(handingBack::stop)
                .chain(keeping::stop)
                .chain(beating::stop)
                .chain(() -> workers.leave(id))
                .onFailure()
                .invoke(e -> LOG.warn("the worker did not stop in good order", e))
                .onFailure()
                .recoverWithNull();
    }

    private Uni<Void> drained(Duration atMost) {
        if (atMost.isZero()) {
            // Not a timeout that Mutiny takes.
            return Uni.createFrom().voidItem();
        }
        return running.whenEmpty()
                .ifNoItem()
                .after(atMost)
                .fail()
                .onFailure(TimeoutException.class)
                .recoverWithNull();
    }

    /** Executions that were claimed while calls were quick, and no longer are. */
    private Uni<Duration> handBackOld() {
        return handBackWaiting(LONGEST_WAIT).replaceWith(LONGEST_WAIT);
    }

    private Uni<Void> handBackWaiting(Duration age) {
        var waiting = slots.takeWaiting(age);
        waiting.forEach(running::remove);
        if (waiting.isEmpty()) {
            return Uni.createFrom().voidItem();
        }
        return leases.handBack(waiting.stream().map(Lease::claim).toList(), Duration.ZERO)
                .onFailure()
                .invoke(failure -> LOG.warnf("%d executions come up again when their leases end", waiting.size()))
                .onFailure()
                .recoverWithItem(0)
                .replaceWithVoid();
    }

    private void run(Lease lease) {
        loops.run(
                () -> pipeline.run(lease, id, this::ended).subscribe().with(isRecorded -> finished(lease, isRecorded)));
    }

    private void ended() {
        slots.ended();
        if (poller.isStarved()) {
            polling.wake();
        }
    }

    private void finished(Lease lease, boolean isRecorded) {
        if (isRecorded) {
            running.remove(lease);
        } else {
            running.removeUnrecorded(lease);
        }
        if (slots.recorded()) {
            polling.wake();
        }
    }

    private Uni<Duration> beat() {
        return workers.beat(id, host(), regions.home()).replaceWith(BEAT);
    }

    private static String host() {
        var name = System.getenv("HOSTNAME");
        return name == null ? "localhost" : name;
    }
}
