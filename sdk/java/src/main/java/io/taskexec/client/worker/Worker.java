package io.taskexec.client.worker;

import io.taskexec.client.Taskexec;
import io.taskexec.client.api.Leases;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;

/**
 * Leases tasks and runs their handlers, on virtual threads where the runtime has them, or on a pool for what computes.
 * Leases are extended on a thread of their own for as long as handlers run.
 *
 * <pre>{@code
 * Worker.of(client)
 *         .handle(Resize.class, (task, context) -> images.resize(task.file(), task.variant()))
 *         .start();
 * }</pre>
 *
 * <p>It keeps the process alive. When the process is told to end, or by {@link #stop}, it asks for no more tasks, lets
 * those that run end, and hands back what has not ended in time.
 */
public final class Worker implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Worker.class.getName());

    /** Interrupted handlers have so long to end. */
    private static final Duration AFTER_INTERRUPT = Duration.ofSeconds(2);

    private static final Duration LAST_REPORTS = Duration.ofSeconds(10);
    private static final Duration UNDER_WAY = Duration.ofMillis(300);
    private static final Duration LAST_POLL = Duration.ofSeconds(5);
    private static final Duration SHORTEST_TIMEOUT = Duration.ofSeconds(1);
    private static final Duration LONGEST_TIMEOUT = Duration.ofSeconds(30);

    private final Duration grace;
    private final ExecutorService threads = VirtualThreads.newExecutor();
    private final CpuPool cpu;
    private final HeldLeases held = new HeldLeases();
    private final Reports reports;
    private final Renewal renewal;
    private final ResourceMonitor monitor;
    private final List<Lane> lanes = new ArrayList<>();
    private final FullWorker full;
    private final Thread hook = new Thread(this::close, "taskexec-shutdown");
    private @Nullable Thread stopping;

    Worker(WorkerBuilder builder) {
        var leases =
                new Leases(builder.client.http().withPatience(Duration.ZERO).withTimeout(answerWithin(builder.lease)));
        grace = builder.grace;
        cpu = new CpuPool(builder.cpuConcurrency);
        reports = new Reports(leases, held);
        renewal = new Renewal(leases, held, builder.lease);
        monitor = new ResourceMonitor(builder.reader, System::nanoTime);
        var sources = new ArrayList<>(builder.sources);
        if (builder.isThrottledByCpu) {
            sources.add(() -> monitor.rates().cpu());
        }
        var shared = new Lane.Shared(
                new Lane.Settings(builder.name, builder.lease),
                leases,
                held,
                reports,
                new ResourceGate(monitor),
                new Throttle(sources),
                new Environment(builder.client.mapper(), List.copyOf(builder.states), cpu));
        var computing = builder.types(true);
        var others = builder.types(false);
        if (!others.isEmpty()) {
            lanes.add(new Lane("taskexec-lease", shared, threads, builder.concurrency, others));
        }
        if (!computing.isEmpty()) {
            lanes.add(new Lane("taskexec-lease-cpu", shared, cpu, builder.cpuConcurrency, computing));
        }
        full = new FullWorker(builder.name, List.copyOf(builder.types.keySet()), leases, held, lanes);
    }

    /** Leases end while an answer does not come, so that another connection is tried before. */
    private static Duration answerWithin(Duration lease) {
        var third = lease.dividedBy(3);
        return third.compareTo(SHORTEST_TIMEOUT) < 0 ? SHORTEST_TIMEOUT : min(third, LONGEST_TIMEOUT);
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /**
     * Begins a worker.
     *
     * @param client whose key has the scope {@code work}
     * @return its builder
     */
    public static WorkerBuilder of(Taskexec client) {
        return new WorkerBuilder(client);
    }

    void start() {
        reports.start();
        renewal.start();
        monitor.start();
        lanes.forEach(Loop::keepProcess);
        lanes.forEach(Loop::start);
        full.start();
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /**
     * Counts the tasks that run.
     *
     * @return how many
     */
    public int running() {
        return lanes.stream().mapToInt(Lane::running).sum();
    }

    /** Stops with the grace that was set, as {@link #stop} does. */
    @Override
    public void close() {
        stop(grace);
    }

    /**
     * Stops: no more tasks are asked for, those that run may end, the others are interrupted and handed back. It
     * returns when all of that is done. A thread that is interrupted returns at once and stays interrupted. So does a
     * handler of this worker, which may then end as all others may. The first call says how much patience there is.
     *
     * @param patience how long those that run may take
     */
    public void stop(Duration patience) {
        var thread = stopping(patience);
        if (cpu.isMine() || lanes.stream().anyMatch(lane -> lane.runsOn(Thread.currentThread()))) {
            return;
        }
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A thread of its own, since an interrupted one could wait for nothing, and would lose all results. */
    private synchronized Thread stopping(Duration patience) {
        var thread = stopping;
        if (thread == null) {
            thread = new Thread(() -> end(patience), "taskexec-stop");
            thread.setDaemon(false);
            thread.start();
            stopping = thread;
        }
        return thread;
    }

    private void end(Duration patience) {
        lanes.forEach(Lane::end);
        // What the server has just leased to this worker would be lost with the answer.
        join(UNDER_WAY);
        lanes.forEach(Lane::interrupt);
        join(LAST_POLL);
        lanes.forEach(Lane::releaseWaiting);
        if (!awaitEnd(patience)) {
            held.all().forEach(task -> task.cancel(RunningTask.STOPPING));
            if (!awaitEnd(AFTER_INTERRUPT)) {
                abandon();
            }
        }
        reports.flush(LAST_REPORTS);
        renewal.stop(AFTER_INTERRUPT);
        full.stop(AFTER_INTERRUPT);
        monitor.stop(AFTER_INTERRUPT);
        threads.shutdownNow();
        cpu.stop();
        removeHook();
    }

    private void join(Duration patience) {
        var end = System.nanoTime() + patience.toNanos();
        lanes.forEach(lane -> lane.join(Duration.ofNanos(end - System.nanoTime())));
    }

    private boolean awaitEnd(Duration patience) {
        var end = System.nanoTime() + patience.toNanos();
        return lanes.stream().allMatch(lane -> lane.awaitEnd(end));
    }

    /** Other workers take over what does not end. */
    private void abandon() {
        for (var task : held.all()) {
            if (!task.hasEnded()) {
                LOG.log(Level.WARNING, "{0} does not end; it is handed back.", task.executionId());
                reports.add(new Report.Released(task.token()));
            }
        }
    }

    private void removeHook() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process ends, by this hook or another one.
            return;
        }
    }
}
