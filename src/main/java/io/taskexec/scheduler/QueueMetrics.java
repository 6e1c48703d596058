package io.taskexec.scheduler;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.LookThrottle;
import io.taskexec.model.activity.ActivityMinute;
import io.taskexec.store.activity.ActivityCounts;
import io.taskexec.store.execution.QueueDepthStore.Depth;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * Tells in metrics how many executions are in each queue, for how many seconds the oldest of those has been due, and
 * for how many the queue has been paused, and has the depth recorded.
 */
@Singleton
final class QueueMetrics implements SchedulerDuty {
    private static final Duration INTERVAL = Duration.ofSeconds(15);

    /** For a look to occupy a twentieth of the time at most, also where there are very many queues. */
    private static final int PAUSES_PER_LOOK = 20;

    private final QueueWatch watch;
    private final ActivityCounts activity;
    private final MeterRegistry registry;
    private final LookThrottle throttle = new LookThrottle(INTERVAL, PAUSES_PER_LOOK);
    private final Map<String, Shown> queues = new HashMap<>();

    QueueMetrics(QueueWatch watch, ActivityCounts activity, MeterRegistry registry) {
        this.activity = activity;
        this.watch = watch;
        this.registry = registry;
    }

    @Override
    public String name() {
        return "looking at queues";
    }

    @Override
    public boolean isForMetricsOnly() {
        return true;
    }

    @Override
    public Uni<Duration> runOnce() {
        var began = System.nanoTime();
        return (throttle.isDue(began) ? look(began) : Uni.createFrom().voidItem()).replaceWith(INTERVAL);
    }

    private Uni<?> look(long began) {
        return watch.depths()
                .invoke(() -> throttle.looked(began, System.nanoTime()))
                .onFailure()
                .invoke(() -> throttle.failed(began, System.nanoTime()))
                .invoke(this::publish)
                .invoke(depths -> activity.saw(sum(depths)));
    }

    private static ActivityMinute.Depth sum(List<Depth> depths) {
        return new ActivityMinute.Depth(
                depths.stream()
                        .mapToLong(depth -> depth.ready() + depth.parked())
                        .sum(),
                depths.stream().mapToLong(Depth::running).sum());
    }

    private void publish(List<Depth> found) {
        found.forEach(this::publish);
        var names = found.stream().map(Depth::queue).collect(Collectors.toUnmodifiableSet());
        queues.entrySet().removeIf(entry -> !names.contains(entry.getKey()) && hide(entry.getValue()));
    }

    /** Takes the gauges of a deleted queue away. */
    private boolean hide(Shown shown) {
        shown.gauges.forEach(registry::remove);
        return true;
    }

    private void publish(Depth depth) {
        var shown = queues.get(depth.queue());
        if (shown == null) {
            queues.put(depth.queue(), show(depth));
        } else {
            shown.depth = depth;
        }
    }

    /** The values of the gauges of a queue. */
    private static final class Shown {
        private final List<Meter> gauges = new ArrayList<>();
        private volatile Depth depth;

        Shown(Depth depth) {
            this.depth = depth;
        }
    }

    private Shown show(Depth first) {
        var shown = new Shown(first);
        // More workers would not help what is ready in a paused queue.
        count("ready", first.queue(), shown, one -> one.depth.pausedFor() == 0 ? one.depth.ready() : 0);
        count("paused", first.queue(), shown, one -> one.depth.pausedFor() == 0 ? 0 : one.depth.ready());
        count("scheduled", first.queue(), shown, one -> one.depth.scheduled());
        count("parked", first.queue(), shown, one -> one.depth.parked());
        count("running", first.queue(), shown, one -> one.depth.running());
        age(
                "taskexec.queue.oldest.age",
                "For how long the execution of a queue has been due that waits for a worker for longest",
                first.queue(),
                shown,
                one -> one.depth.oldestAge());
        age(
                "taskexec.queue.paused.age",
                "For how long a queue has been paused, 0 when it is not",
                first.queue(),
                shown,
                one -> one.depth.pausedFor());
        return shown;
    }

    private void age(String name, String description, String queue, Shown shown, ToDoubleFunction<Shown> value) {
        shown.gauges.add(Gauge.builder(name, shown, value)
                .baseUnit("seconds")
                .description(description)
                .tag("queue", queue)
                .strongReference(true)
                .register(registry));
    }

    private void count(String state, String queue, Shown shown, ToDoubleFunction<Shown> value) {
        shown.gauges.add(Gauge.builder("taskexec.queue.depth", shown, value)
                .description("Executions in a queue that have not ended, at least so many")
                .tag("queue", queue)
                .tag("state", state)
                .strongReference(true)
                .register(registry));
    }
}
