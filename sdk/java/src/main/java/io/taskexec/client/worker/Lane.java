package io.taskexec.client.worker;

import io.taskexec.client.api.Leases;
import io.taskexec.client.model.Lease;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;

/**
 * Asks for as many tasks as there are free slots, and starts them. Tasks with a footprint wait here until the gate lets
 * them begin; no more like them are asked for meanwhile.
 */
final class Lane extends Loop {
    private static final int MAX_LEASES = 500;

    /** With footprints, so that few wait here while another worker has room. */
    private static final int MAX_GATED_LEASES = 4;

    private static final Duration LONG_POLL = Duration.ofSeconds(20);
    private static final Duration SHORT_POLL = Duration.ofSeconds(1);
    private static final long LOOK_AGAIN_MS = 100;
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    private final Shared shared;
    private final Executor executor;
    private final int slots;
    private final Map<String, TaskType<?>> types;
    private final Deque<RunningTask> waiting = new ArrayDeque<>();
    private int running;
    private int ends;
    private Duration pause = FIRST_PAUSE;
    private int heldBack = Integer.MAX_VALUE;

    /** The parts of a worker that its lanes share. */
    record Shared(
            Settings settings,
            Leases leases,
            HeldLeases held,
            Reports reports,
            ResourceGate gate,
            Throttle throttle,
            Environment environment) {}

    /**
     * The manner in which a worker leases.
     *
     * @param name of the worker
     * @param lease how long tasks are leased for
     */
    record Settings(String name, Duration lease) {}

    Lane(String name, Shared shared, Executor executor, int slots, List<TaskType<?>> types) {
        super(name);
        this.shared = shared;
        this.executor = executor;
        this.slots = slots;
        this.types = types.stream().collect(Collectors.toMap(TaskType::endpoint, type -> type));
    }

    @Override
    void runOnce() throws InterruptedException {
        startWaiting();
        var endpoints = endpoints();
        var free = free();
        if (free <= 0 || endpoints.isEmpty()) {
            awaitChange(LOOK_AGAIN_MS);
            return;
        }
        var isThrottled = shared.throttle().isActive();
        var isPartial = isThrottled || endpoints.size() < types.size();
        var settings = shared.settings();
        var batch = shared.leases()
                .acquire(
                        settings.name(),
                        endpoints,
                        isThrottled ? 1 : max(free, endpoints),
                        isPartial ? SHORT_POLL : LONG_POLL,
                        settings.lease());
        batch.cancelled().forEach(told -> shared.held().cancel(told.lease(), told.reason()));
        batch.leases().forEach(this::accept);
        awaitRelief();
    }

    private int max(int free, List<String> endpoints) {
        var isGated = endpoints.stream().anyMatch(name -> type(name).isGated());
        return Math.min(free, isGated ? MAX_GATED_LEASES : MAX_LEASES);
    }

    private TaskType<?> type(String endpoint) {
        var type = types.get(endpoint);
        if (type == null) {
            throw new IllegalStateException("a lease of " + endpoint + ", which was not asked for");
        }
        return type;
    }

    private synchronized int free() {
        return slots - running - waiting.size();
    }

    private synchronized List<String> endpoints() {
        return types.values().stream()
                .filter(type -> waiting.isEmpty() || !type.isGated())
                .map(TaskType::endpoint)
                .toList();
    }

    private void accept(Lease lease) {
        var task = new RunningTask(lease, type(lease.endpoint()), shared.environment());
        shared.held().add(task);
        if (isStopped()) {
            release(task);
        } else if (lease.priority() > shared.throttle().leastUrgent()) {
            heldBack = Math.min(heldBack, lease.priority());
            release(task);
        } else if (task.isGated()) {
            pause = FIRST_PAUSE;
            enqueue(task);
            startWaiting();
        } else {
            pause = FIRST_PAUSE;
            start(task);
        }
    }

    private void release(RunningTask task) {
        shared.reports().add(new Report.Released(task.token()));
    }

    /** Leaves tasks that are held back to other workers; looks now and then whether there is a more urgent one. */
    private void awaitRelief() throws InterruptedException {
        var priority = heldBack;
        heldBack = Integer.MAX_VALUE;
        if (priority == Integer.MAX_VALUE) {
            return;
        }
        var end = System.nanoTime() + pause.toNanos();
        pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
        while (System.nanoTime() - end < 0 && priority > shared.throttle().leastUrgent()) {
            Thread.sleep(LOOK_AGAIN_MS);
        }
    }

    private synchronized void enqueue(RunningTask task) {
        waiting.add(task);
    }

    /** Starts those that wait, the most urgent ones first. */
    private synchronized void startWaiting() {
        var ordered = waiting.stream()
                .sorted(Comparator.comparingInt(task -> task.lease().priority()))
                .toList();
        for (var task : ordered) {
            if (task.isCancelled()) {
                waiting.remove(task);
                release(task);
            } else if (shared.gate().tryEnter(task.footprint())) {
                waiting.remove(task);
                start(task);
            }
        }
    }

    private synchronized void start(RunningTask task) {
        running++;
        executor.execute(() -> run(task));
    }

    private void run(RunningTask task) {
        try {
            var report = task.run();
            if (report == null) {
                shared.held().remove(task.token());
            } else {
                shared.reports().add(report);
            }
        } finally {
            ended(task);
        }
    }

    private synchronized void ended(RunningTask task) {
        if (task.isGated()) {
            shared.gate().leave(task.footprint());
        }
        running--;
        ends++;
        notifyAll();
    }

    private synchronized void awaitChange(long millis) throws InterruptedException {
        var end = System.nanoTime() + Duration.ofMillis(millis).toNanos();
        var before = ends;
        for (var rest = millis; ends == before && rest > 0; rest = (end - System.nanoTime()) / 1_000_000) {
            wait(rest);
        }
    }

    /** Hands back what has not begun. */
    synchronized void releaseWaiting() {
        waiting.forEach(this::release);
        waiting.clear();
    }

    synchronized int running() {
        return running;
    }

    /** Waits until all that runs has ended. */
    synchronized boolean awaitEnd(long endNanos) {
        try {
            while (running > 0 && endNanos - System.nanoTime() > 0) {
                wait(Math.max(1, Duration.ofNanos(endNanos - System.nanoTime()).toMillis()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return running == 0;
    }
}
