package io.taskexec.server;

import io.smallrye.mutiny.Uni;
import io.taskexec.config.Role;
import io.taskexec.config.ServerConfig;
import io.taskexec.loop.Loop;
import io.taskexec.loop.LoopTimer;
import io.taskexec.observe.trace.Tracing;
import io.taskexec.region.Regions;
import io.taskexec.store.activity.ActivityRecorder;
import io.taskexec.store.wakeup.Wakeups;
import jakarta.inject.Singleton;
import java.time.Duration;

/**
 * Starts and stops what every process runs, whatever its roles: wake-ups, regions, traces, the watch of event loops.
 */
@Singleton
final class Background {
    private static final Duration RECORDING = Duration.ofSeconds(5);

    private final ServerConfig config;
    private final EventLoopWatch eventLoops;
    private final Tracing tracing;
    private final Wakeups wakeups;
    private final Loop listening;
    private final ActivityRecorder activity;
    private final Loop recording;
    private final Regions regions;

    Background(
            ServerConfig config,
            EventLoopWatch eventLoops,
            Tracing tracing,
            Wakeups wakeups,
            LoopTimer timer,
            ActivityRecorder activity,
            Regions regions) {
        this.config = config;
        this.eventLoops = eventLoops;
        this.tracing = tracing;
        this.wakeups = wakeups;
        this.listening = new Loop("listening to other processes", wakeups::keepListening, timer);
        this.activity = activity;
        this.recording = new Loop("recording activity", () -> activity.record().replaceWith(RECORDING), timer);
        this.regions = regions;
    }

    void start() {
        eventLoops.start();
        tracing.start();
        listening.start();
        recording.start();
        var roles = config.roles();
        regions.start(roles.stream().map(Role::component).toList(), roles.contains(Role.SCHEDULER));
    }

    Uni<Void> stop() {
        return tracing.stop()
                .chain(recording::stop)
                .chain(activity::record)
                .onFailure()
                .recoverWithNull()
                .chain(regions::stop)
                .chain(listening::stop)
                .chain(wakeups::close);
    }
}
