package io.taskexec.client.worker;

import io.taskexec.client.Task;
import io.taskexec.client.Taskexec;
import io.taskexec.client.api.Leases;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.function.Consumer;
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

    private Worker(Builder builder) {
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
    public static Builder of(Taskexec client) {
        return new Builder(client);
    }

    /** The settings of a worker. */
    public static final class Builder {
        private final Taskexec client;
        private final Map<String, TaskType<?>> types = new LinkedHashMap<>();
        private final List<Object> states = new ArrayList<>();
        private final List<PressureSource> sources = new ArrayList<>();
        private String name = defaultName();
        private int concurrency = 100;
        private int cpuConcurrency = Runtime.getRuntime().availableProcessors();
        private Duration lease = Duration.ofSeconds(60);
        private Duration grace = Duration.ofSeconds(30);
        private ResourceReader reader = ResourceReader.ofSystem();
        private boolean isThrottledByCpu;
        private boolean registers = true;

        private Builder(Taskexec client) {
            this.client = client;
        }

        private static String defaultName() {
            String host;
            try {
                host = InetAddress.getLocalHost().getHostName();
            } catch (UnknownHostException e) {
                host = "worker";
            }
            return host.substring(0, Math.min(host.length(), 64)) + "-"
                    + ProcessHandle.current().pid() + "-"
                    + UUID.randomUUID().toString().substring(0, 8);
        }

        private List<TaskType<?>> types(boolean isOnCpu) {
            return types.values().stream()
                    .filter(type -> type.options().isOnCpu() == isOnCpu)
                    .toList();
        }

        /**
         * Runs tasks of a type.
         *
         * @param type of the tasks
         * @param handler runs one, and returns its result
         * @param <T> the tasks
         * @return this
         */
        public <T extends Task> Builder handle(Class<T> type, Handler<T> handler) {
            return handle(type, handler, options -> {});
        }

        /**
         * Runs tasks of a type.
         *
         * @param type of the tasks
         * @param handler runs one, and returns its result
         * @param options how they run, such as {@code options -> options.onCpu()}
         * @param <T> the tasks
         * @return this
         */
        public <T extends Task> Builder handle(Class<T> type, Handler<T> handler, Consumer<HandlerOptions<T>> options) {
            return handle(Task.nameOf(type), type, handler, options);
        }

        /**
         * Runs tasks that have no result.
         *
         * @param type of the tasks
         * @param consumer runs one
         * @param <T> the tasks
         * @return this
         */
        public <T extends Task> Builder consume(Class<T> type, TaskConsumer<T> consumer) {
            return consume(type, consumer, options -> {});
        }

        /**
         * Runs tasks that have no result.
         *
         * @param type of the tasks
         * @param consumer runs one
         * @param options how they run
         * @param <T> the tasks
         * @return this
         */
        public <T extends Task> Builder consume(
                Class<T> type, TaskConsumer<T> consumer, Consumer<HandlerOptions<T>> options) {
            return handle(
                    type,
                    (task, context) -> {
                        consumer.run(task, context);
                        return null;
                    },
                    options);
        }

        /**
         * Runs jobs of an endpoint whose input is any JSON.
         *
         * @param endpoint its name
         * @param type what the input becomes, such as a map or a JSON tree
         * @param handler runs one, and returns its result
         * @param options how they run
         * @param <T> the same
         * @return this
         */
        public <T> Builder handle(
                String endpoint, Class<T> type, Handler<T> handler, Consumer<HandlerOptions<T>> options) {
            var chosen = new HandlerOptions<T>();
            options.accept(chosen);
            if (types.putIfAbsent(endpoint, new TaskType<>(endpoint, type, handler, chosen)) != null) {
                throw new IllegalArgumentException("There is a handler for '%s' already.".formatted(endpoint));
            }
            return this;
        }

        /**
         * Shares something with all handlers, which find it by its type.
         *
         * @param shared such as a pool of connections
         * @return this
         */
        public Builder state(Object shared) {
            states.add(shared);
            return this;
        }

        /**
         * Names the worker. Two processes must not have the same name.
         *
         * @param value at most 128 characters; by default the host, the process and a random part
         * @return this
         */
        public Builder name(String value) {
            name = WorkerLimits.name(value);
            return this;
        }

        /**
         * Sets how many tasks run at once, without those that compute.
         *
         * @param count 100 by default
         * @return this
         */
        public Builder concurrency(int count) {
            concurrency = atLeastOne(count);
            return this;
        }

        /**
         * Sets the size of the pool for what computes.
         *
         * @param count as many as there are processors by default
         * @return this
         */
        public Builder cpuConcurrency(int count) {
            cpuConcurrency = atLeastOne(count);
            return this;
        }

        private static int atLeastOne(int count) {
            if (count < 1) {
                throw new IllegalArgumentException("At least one task must run: " + count);
            }
            return count;
        }

        /**
         * Sets how long tasks are leased for. After so long, those of a process that died run elsewhere. Handlers may
         * take any time.
         *
         * @param time from 5 seconds to an hour, in whole milliseconds; a minute by default
         * @return this
         */
        public Builder lease(Duration time) {
            return shortLease(WorkerLimits.lease(time));
        }

        /** For tests, which cannot wait for the shortest time that a server takes. */
        Builder shortLease(Duration time) {
            lease = time;
            return this;
        }

        /**
         * Sets how long handlers have to end when the worker stops.
         *
         * @param time 30 seconds by default
         * @return this
         */
        public Builder grace(Duration time) {
            grace = time;
            return this;
        }

        /**
         * Holds less urgent tasks back while the processors are in use: from 60 % on priorities 6 and 7, from 80 % on 3
         * to 7.
         *
         * @return this
         */
        public Builder throttleByCpu() {
            isThrottledByCpu = true;
            return this;
        }

        /**
         * Holds less urgent tasks back under pressure of another kind.
         *
         * @param source measures it
         * @return this
         */
        public Builder throttle(PressureSource source) {
            sources.add(source);
            return this;
        }

        /**
         * Sets what reads the use of the machine.
         *
         * @param source by default that of this machine
         * @return this
         */
        public Builder resources(ResourceReader source) {
            reader = source;
            return this;
        }

        /**
         * Registers no endpoints: they exist.
         *
         * @return this
         */
        public Builder withoutRegistration() {
            registers = false;
            return this;
        }

        /**
         * Registers the endpoints, if the key may do that, and begins to ask for tasks.
         *
         * @return the worker
         * @throws IllegalStateException when there are no handlers, or those of more than 100 endpoints
         */
        public Worker start() {
            if (types.isEmpty()) {
                throw new IllegalStateException("A worker needs a handler.");
            }
            WorkerLimits.endpoints(types.size());
            if (registers) {
                Registration.register(client.endpoints(), types.values());
            }
            var worker = new Worker(this);
            worker.start();
            return worker;
        }
    }

    private void start() {
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
