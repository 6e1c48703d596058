package io.taskexec.client.worker;

import io.taskexec.client.api.Leases;
import io.taskexec.client.model.Lease;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Asks for as many tasks as there are free slots, and starts them: by two requests at once, so that one waits at the
 * server while the other one's tasks are started. While there are always more, it asks for some ahead, twice as many
 * as end while an answer is under way. Tasks with a footprint wait here until the gate lets them begin; no more like
 * them are asked for meanwhile, and by one request alone.
 */
final class Lane extends Loop {
    private static final int MAX_LEASES = 500;
    private static final Duration SOON = Duration.ofMillis(200);
    private static final Duration LONGEST_AHEAD = Duration.ofSeconds(1);
    private static final Comparator<RunningTask> MOST_URGENT_FIRST = Comparator.comparingInt(
                    (RunningTask task) -> task.lease().priority())
            .thenComparing(RunningTask::compareAge);

    /** With footprints, so that few wait here while another worker has room. */
    private static final int MAX_GATED_LEASES = 4;

    private static final Duration LONG_POLL = Duration.ofSeconds(20);
    private static final Duration SHORT_POLL = Duration.ofSeconds(1);
    private static final long LOOK_AGAIN_MS = 100;

    private final Shared shared;
    private final Executor executor;
    private final int slots;
    private final Map<String, TaskType<?>> types;
    private final Deque<RunningTask> waiting = new ArrayDeque<>();
    private final Queue<RunningTask> ahead = new PriorityQueue<>(MOST_URGENT_FIRST);
    private final Set<Thread> handlers = ConcurrentHashMap.newKeySet();
    private final Loop second;
    private final boolean hasSecond;
    private @Nullable Throwable startFailure;
    private int running;
    private int asked;
    private int ends;
    private int changes;
    private int maxAhead;

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
        this.hasSecond = slots > 1 && types.stream().noneMatch(TaskType::isGated);
        this.second = new Loop(name + "-2") {
            @Override
            void runOnce() throws InterruptedException {
                ask();
            }
        };
    }

    @Override
    void start() {
        super.start();
        if (hasSecond) {
            second.start();
        }
    }

    @Override
    void end() {
        super.end();
        second.end();
    }

    @Override
    void interrupt() {
        super.interrupt();
        second.interrupt();
    }

    @Override
    void join(Duration patience) {
        var end = System.nanoTime() + patience.toNanos();
        super.join(patience);
        second.join(Duration.ofNanos(end - System.nanoTime()));
    }

    @Override
    void runOnce() throws InterruptedException {
        startWaiting();
        releaseLate();
        ask();
    }

    private void ask() throws InterruptedException {
        if (shared.held().isAnyOlderThan(shared.settings().lease())) {
            // After a standstill: it would get what it holds once more, before it can say that it still does.
            awaitChange(LOOK_AGAIN_MS);
            return;
        }
        var endpoints = endpoints();
        var max = reserve(endpoints);
        if (max <= 0) {
            awaitChange(LOOK_AGAIN_MS);
            return;
        }
        try {
            ask(endpoints, max);
        } finally {
            giveBack(max);
        }
        failAfterStart();
    }

    /** Makes the loop pause, so that what was handed back does not come again at once. */
    private synchronized void failAfterStart() {
        var failure = startFailure;
        startFailure = null;
        if (failure != null) {
            throw new IllegalStateException("A task could not be started.", failure);
        }
    }

    private void ask(List<String> endpoints, int max) {
        var leastUrgent = shared.throttle().leastUrgent();
        var isPartial = leastUrgent < Throttle.ALL || endpoints.size() < types.size() || hasAhead();
        var settings = shared.settings();
        var endsBefore = ends();
        var askedAt = System.nanoTime();
        var batch = shared.leases()
                .acquire(
                        settings.name(),
                        endpoints,
                        max,
                        isPartial ? SHORT_POLL : LONG_POLL,
                        settings.lease(),
                        leastUrgent);
        batch.cancelled().forEach(told -> shared.held().cancel(told.lease(), told.reason()));
        // Where less is due than was asked for, nothing is kept from other workers.
        var isMoreDue = batch.leases().size() == max && System.nanoTime() - askedAt < SOON.toNanos();
        lookAhead(isMoreDue ? ends() - endsBefore : -1);
        batch.leases().forEach(this::accept);
    }

    /** Twice as many as have ended while an answer was under way; less than zero for none. */
    private synchronized void lookAhead(int ended) {
        maxAhead = ended < 0 ? 0 : Math.min(slots, Math.max(2 * ended, maxAhead * 3 / 4));
    }

    private synchronized int ends() {
        return ends;
    }

    private synchronized boolean hasAhead() {
        return !ahead.isEmpty();
    }

    /** The tasks that run take longer than those before them: others are for other workers. */
    private synchronized void releaseLate() {
        var late = ahead.stream()
                .filter(task -> task.heldFor().compareTo(LONGEST_AHEAD) > 0)
                .toList();
        if (!late.isEmpty()) {
            maxAhead = 0;
            ahead.removeAll(late);
            late.forEach(this::release);
        }
    }

    /** Takes slots for a request; the first one leaves half of them to the second. */
    private synchronized int reserve(List<String> endpoints) {
        var isGated = isGated(endpoints);
        var free = slots + (isGated ? 0 : maxAhead) - running - ahead.size() - waiting.size() - asked;
        if (free <= 0 || endpoints.isEmpty()) {
            return 0;
        }
        var share = hasSecond && asked == 0 ? (free + 1) / 2 : free;
        var max = Math.min(share, isGated ? MAX_GATED_LEASES : MAX_LEASES);
        asked += max;
        return max;
    }

    private synchronized void giveBack(int max) {
        asked -= max;
        changes++;
        notifyAll();
    }

    private boolean isGated(List<String> endpoints) {
        return endpoints.stream().anyMatch(name -> type(name).isGated());
    }

    private TaskType<?> type(String endpoint) {
        var type = types.get(endpoint);
        if (type == null) {
            throw new IllegalStateException("a lease of " + endpoint + ", which was not asked for");
        }
        return type;
    }

    private synchronized List<String> endpoints() {
        return types.values().stream()
                .filter(type -> waiting.isEmpty() || !type.isGated())
                .map(TaskType::endpoint)
                .toList();
    }

    /** One that fails keeps no other one of its batch back. */
    private void accept(Lease lease) {
        try {
            hold(lease);
        } catch (RuntimeException | Error e) {
            noteStartFailure(e);
        }
    }

    private synchronized void noteStartFailure(Throwable failure) {
        startFailure = failure;
    }

    private void hold(Lease lease) {
        var task = new RunningTask(lease, type(lease.endpoint()), shared.environment());
        shared.held().add(task);
        if (isStopped()) {
            release(task);
        } else if (task.isGated()) {
            enqueue(waiting, task);
            startWaiting();
        } else {
            enqueue(ahead, task);
            startAhead();
        }
    }

    private void release(RunningTask task) {
        shared.reports().add(new Report.Released(task.token()));
    }

    private synchronized void enqueue(Collection<RunningTask> tasks, RunningTask task) {
        tasks.add(task);
    }

    private synchronized void startAhead() {
        while (!ahead.isEmpty() && running < slots) {
            var task = ahead.remove();
            if (isToBegin(task)) {
                start(task);
            } else {
                release(task);
            }
        }
    }

    /** The pressure may have risen since it was asked for. */
    private boolean isToBegin(RunningTask task) {
        return !task.isCancelled()
                && task.lease().priority() <= shared.throttle().leastUrgent();
    }

    /** Starts those that wait, the most urgent ones first. */
    private synchronized void startWaiting() {
        for (var task : waiting.stream().sorted(MOST_URGENT_FIRST).toList()) {
            if (!isToBegin(task)) {
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
        try {
            executor.execute(() -> run(task));
        } catch (RuntimeException | Error e) {
            // There may be no thread for it.
            leave(task);
            release(task);
            noteStartFailure(e);
        }
    }

    private void run(RunningTask task) {
        handlers.add(Thread.currentThread());
        try {
            var report = task.run();
            if (report == null) {
                shared.held().remove(task.token());
            } else {
                shared.reports().add(report);
            }
        } finally {
            handlers.remove(Thread.currentThread());
            ended(task);
        }
    }

    private synchronized void leave(RunningTask task) {
        if (task.isGated()) {
            shared.gate().leave(task.footprint());
        }
        running--;
    }

    private synchronized void ended(RunningTask task) {
        leave(task);
        ends++;
        changes++;
        startAhead();
        notifyAll();
    }

    private synchronized void awaitChange(long millis) throws InterruptedException {
        var end = System.nanoTime() + Duration.ofMillis(millis).toNanos();
        var before = changes;
        for (var rest = millis; changes == before && rest > 0; rest = (end - System.nanoTime()) / 1_000_000) {
            wait(rest);
        }
    }

    /** Hands back what has not begun. */
    synchronized void releaseWaiting() {
        waiting.forEach(this::release);
        waiting.clear();
        ahead.forEach(this::release);
        ahead.clear();
    }

    /** Whether a request is under way, or about to be. */
    synchronized boolean isAsking() {
        return asked > 0;
    }

    synchronized int running() {
        return running;
    }

    /** Whether a handler runs on a thread. */
    boolean runsOn(Thread thread) {
        return handlers.contains(thread);
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
