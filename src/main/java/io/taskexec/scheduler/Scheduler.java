package io.taskexec.scheduler;

import io.quarkus.arc.All;
import io.smallrye.mutiny.Uni;
import io.taskexec.loop.Loop;
import io.taskexec.loop.LoopTimer;
import io.taskexec.model.TaskProgress;
import io.taskexec.observe.metrics.Meters;
import jakarta.inject.Singleton;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The scheduler role: its loops. Any number of schedulers may run; none of them leads. */
@Singleton
public final class Scheduler {
    private final Map<SchedulerDuty, Loop> loops = new LinkedHashMap<>();

    Scheduler(@All List<SchedulerDuty> duties, Meters meters, LoopTimer timer) {
        for (var duty : duties) {
            if (meters.areOn() || !duty.isForMetricsOnly()) {
                var loop = new Loop(duty.name(), duty, timer);
                duty.onWake(loop::wake);
                loops.put(duty, loop);
            }
        }
    }

    /** Starts all loops. */
    public void start() {
        loops.values().forEach(Loop::start);
    }

    /** The progress of the loops that create and release executions. */
    public Map<String, TaskProgress> progress() {
        var progress = new TreeMap<String, TaskProgress>();
        loops.forEach((duty, loop) -> {
            var name = duty.progressName();
            if (name != null) {
                progress.put(name, loop.progress());
            }
        });
        return progress;
    }

    /** Something has become due earlier than before: looks at once. */
    public void wake() {
        loops.forEach((duty, loop) -> {
            if (duty.isWokenByDueWork()) {
                loop.wake();
            }
        });
    }

    /** Stops all loops; the result comes when what was under way has ended. */
    public Uni<Void> stop() {
        return Uni.join()
                .all(loops.values().stream().map(Loop::stop).toList())
                .andCollectFailures()
                .replaceWithVoid();
    }
}
