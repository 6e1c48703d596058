package io.taskexec.scheduler;

import io.micrometer.core.instrument.MeterRegistry;
import io.smallrye.mutiny.Uni;
import io.taskexec.check.Probe;
import io.taskexec.loop.Loop;
import io.taskexec.loop.LoopTimer;
import io.taskexec.model.TaskProgress;
import io.taskexec.observe.metrics.Meters;
import io.taskexec.store.endpoint.BreakerStore;
import io.taskexec.store.event.EventStore;
import io.taskexec.store.execution.RetentionStore;
import io.taskexec.store.execution.TableSizeStore;
import io.taskexec.store.execution.WorkerStore;
import io.taskexec.store.job.IdempotencyKeyStore;
import io.taskexec.store.job.LedgerStore;
import io.taskexec.store.job.TickStore;
import io.taskexec.store.job.ZoneRulesStore;
import io.taskexec.store.operation.BulkStore;
import io.taskexec.store.operation.OperationStore;
import io.taskexec.store.region.HeartbeatStore;
import io.taskexec.store.sql.EventsConfig;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The scheduler role: its loops. Any number of schedulers may run; none of them leads. */
@Singleton
public final class Scheduler {
    private final Loop ticking;
    private final Loop buffering;
    private final Loop burying;
    private final List<Loop> loops;

    Scheduler(
            WorkerStore workers,
            RetentionStore retention,
            IdempotencyKeyStore keys,
            TickStore ticks,
            LedgerStore ledger,
            ZoneRulesStore zoneRules,
            HeartbeatStore heartbeats,
            TableSizeStore sizes,
            Probe probe,
            MeterRegistry metrics,
            Meters meters,
            QueueWatch queues,
            BreakerStore breakers,
            OperationStore operations,
            BulkStore bulk,
            EventStore events,
            EventsConfig eventsConfig,
            SchedulerConfig config,
            LoopTimer timer) {
        var tickMetrics = new TickMetrics(meters);
        buffering = new Loop("firing ticks that had to wait", new BufferedTicks(ticks, tickMetrics), timer);
        var removals = new RetentionMetrics(metrics);
        ticking = new Loop("making executions of ticks", new Ticks(ticks, config, buffering::wake, tickMetrics), timer);
        burying = new Loop("freeing the work of dead workers", new DeadWorkers(workers, config), timer);
        var duties = List.of(
                ticking,
                buffering,
                new Loop("following the rules of time zones", new ZoneRules(zoneRules), timer),
                new Loop("moving operations on", new BulkOperations(operations, bulk), timer),
                new Loop("removing old ticks", new LedgerRetention(ledger, config), timer),
                burying,
                new Loop("removing old history", new Retention(retention, config, removals), timer),
                new Loop("removing old events", new EventRetention(events, eventsConfig, removals), timer),
                new Loop("removing expired idempotency keys", new ExpiredKeys(keys), timer),
                new Loop("looking at invariants", new InvariantWatch(probe, heartbeats, metrics), timer),
                new Loop("looking at the sizes of tables", new HistorySizes(sizes, metrics), timer));
        // Looks that are made for metrics alone.
        var looks = List.of(
                new Loop("looking at queues", new QueueMetrics(queues, metrics), timer),
                new Loop("looking at breakers", new BreakerMetrics(breakers, metrics), timer));
        loops = meters.areOn() ? Stream.concat(duties.stream(), looks.stream()).toList() : duties;
    }

    /** Starts all loops. */
    public void start() {
        loops.forEach(Loop::start);
    }

    /** The progress of the loops that create and release executions. */
    public Map<String, TaskProgress> progress() {
        return Map.of(
                "ticks", ticking.progress(),
                "buffered_ticks", buffering.progress(),
                "dead_workers", burying.progress());
    }

    /** Something has become due earlier than before: looks at once. */
    public void wake() {
        ticking.wake();
    }

    /** Stops all loops; the result comes when what was under way has ended. */
    public Uni<Void> stop() {
        return Uni.join()
                .all(loops.stream().map(Loop::stop).toList())
                .andCollectFailures()
                .replaceWithVoid();
    }
}
