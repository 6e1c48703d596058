package io.taskexec.scheduler;

import io.quarkus.arc.All;
import io.smallrye.mutiny.Uni;
import io.taskexec.clock.ClockFollower;
import io.taskexec.loop.Loop;
import io.taskexec.loop.LoopTimer;
import io.taskexec.model.ProgramClock;
import io.taskexec.model.TaskProgress;
import io.taskexec.observe.metrics.Meters;
import io.taskexec.scheduler.SchedulerDuty.ClockStep;
import io.taskexec.store.clock.ClockStore.Kind;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The scheduler role: its loops. Any number of schedulers may run; none of them leads. */
@Singleton
public final class Scheduler implements ClockFollower {
    private static final Duration DAY = Duration.ofDays(1);

    private final Map<SchedulerDuty, Loop> loops = new LinkedHashMap<>();
    private Instant daySince = ProgramClock.now();

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

    /** A schedule may have a tick earlier than before: looks at once. */
    public void wake() {
        loops.forEach((duty, loop) -> {
            if (duty.isWokenByTicks()) {
                loop.wake();
            }
        });
    }

    @Override
    public void look(Set<Kind> kinds) {
        var now = ProgramClock.now();
        var isDay = !now.isBefore(daySince.plus(DAY));
        if (isDay) {
            daySince = now;
        }
        loops.forEach((duty, loop) -> {
            var isWanted = switch (duty.clockStep()) {
                case NONE -> false;
                case TO_TICK -> kinds.contains(Kind.TICK);
                case TO_OTHER -> kinds.contains(Kind.OTHER);
                case OF_DAY -> isDay;
            };
            if (isWanted) {
                loop.wake();
            }
        });
    }

    @Override
    public boolean isResting() {
        return loops.entrySet().stream()
                .filter(loop -> loop.getKey().clockStep() != ClockStep.NONE)
                .allMatch(loop -> loop.getValue().isResting());
    }

    /** Its executions are those of workers. */
    @Override
    public List<String> running() {
        return List.of();
    }

    /** Stops all loops; the result comes when what was under way has ended. */
    public Uni<Void> stop() {
        return Uni.join()
                .all(loops.values().stream().map(Loop::stop).toList())
                .andCollectFailures()
                .replaceWithVoid();
    }
}
