package io.taskexec.worker;

import io.quarkus.arc.All;
import io.smallrye.mutiny.Uni;
import io.taskexec.clock.ClockFollower;
import io.taskexec.loop.Loop;
import io.taskexec.loop.LoopTimer;
import io.taskexec.model.PublicId;
import io.taskexec.model.TaskProgress;
import io.taskexec.store.clock.ClockStore.Kind;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import org.jboss.logging.Logger;

/** The worker role: starts and stops polling and its duties, in order. */
@Singleton
public final class Worker implements ClockFollower {
    private static final Logger LOG = Logger.getLogger(Worker.class);

    private final WorkerIdentity identity;
    private final Poller poller;
    private final Slots slots;
    private final Drain drain;
    private final Pipeline pipeline;
    private final Loop polling;
    private final Map<WorkerDuty, Loop> duties = new LinkedHashMap<>();

    Worker(
            WorkerIdentity identity,
            Poller poller,
            Slots slots,
            @All List<WorkerDuty> duties,
            Drain drain,
            Pipeline pipeline,
            LoopTimer timer) {
        this.identity = identity;
        this.poller = poller;
        this.slots = slots;
        this.drain = drain;
        this.pipeline = pipeline;
        this.polling = new Loop("claiming executions", poller, timer);
        slots.onRoom(polling::wake);
        duties.forEach(duty -> this.duties.put(duty, new Loop(duty.name(), duty, timer)));
    }

    /** Starts claiming. */
    public void start() {
        LOG.infof("%s runs up to %d executions at a time", PublicId.WORKER.show(identity.id()), slots.size());
        duties.values().forEach(Loop::start);
        polling.start();
        poller.startAtOnce();
    }

    /** The progress of polling, of the duties that executions depend on, and of the recording of results. */
    public Map<String, TaskProgress> progress() {
        var progress = new TreeMap<String, TaskProgress>();
        progress.put("claims", polling.progress());
        progress.put("results", pipeline.progress());
        duties.forEach((duty, loop) -> {
            var name = duty.progressName();
            if (name != null) {
                progress.put(name, loop.progress());
            }
        });
        return progress;
    }

    /** The time that {@link #stop} lets executions run. */
    public Duration shutdownTimeout() {
        return drain.timeout();
    }

    /** An execution has been cancelled: aborts its outgoing call when it runs here. */
    public void cancel(UUID executionId) {
        slots.cancel(executionId);
    }

    /** Something has become due: looks at once. */
    public void wake() {
        polling.wake();
    }

    @Override
    public void look(Set<Kind> kinds) {
        if (kinds.contains(Kind.EXECUTION)) {
            polling.wake();
        }
        if (kinds.contains(Kind.OTHER)) {
            polling.wake();
            clockDuties().forEach(Loop::wake);
        }
    }

    @Override
    public boolean isResting() {
        return polling.isResting()
                && slots.running().isEmpty()
                && !slots.isKept()
                && clockDuties().allMatch(Loop::isResting);
    }

    @Override
    public List<String> running() {
        return slots.running();
    }

    private Stream<Loop> clockDuties() {
        return duties.entrySet().stream()
                .filter(duty -> duty.getKey().followsClock())
                .map(Map.Entry::getValue);
    }

    /** Stops claiming, ends what runs, and then all duties. */
    public Uni<Void> stop() {
        poller.stopBeginning();
        return polling.stop()
                .chain(drain::run)
                .chain(() -> all(duties.values().stream().map(Loop::stop).toList()))
                .chain(() -> all(duties.keySet().stream().map(WorkerDuty::leave).toList()))
                .onFailure()
                .invoke(e -> LOG.warn("the worker did not stop in good order", e))
                .onFailure()
                .recoverWithNull();
    }

    private static Uni<Void> all(List<Uni<Void>> ends) {
        return Uni.join().all(ends).andCollectFailures().replaceWithVoid();
    }
}
