package io.taskexec.client.worker;

import io.taskexec.client.Task;
import io.taskexec.client.Taskexec;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;

/** A new worker. {@link Worker#of} makes one; {@link #start()} begins its work. */
public final class WorkerBuilder {
    final Taskexec client;
    final Map<String, TaskType<?>> types = new LinkedHashMap<>();
    final List<Object> states = new ArrayList<>();
    final List<PressureSource> sources = new ArrayList<>();
    String name = defaultName();
    int concurrency = 100;
    int cpuConcurrency = Runtime.getRuntime().availableProcessors();
    Duration lease = Duration.ofSeconds(60);
    Duration grace = Duration.ofSeconds(30);
    ResourceReader reader = ResourceReader.ofSystem();
    boolean isThrottledByCpu;
    boolean registers = true;

    WorkerBuilder(Taskexec client) {
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

    List<TaskType<?>> types(boolean isOnCpu) {
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
    public <T extends Task> WorkerBuilder handle(Class<T> type, Handler<T> handler) {
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
    public <T extends Task> WorkerBuilder handle(
            Class<T> type, Handler<T> handler, Consumer<HandlerOptions<T>> options) {
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
    public <T extends Task> WorkerBuilder consume(Class<T> type, TaskConsumer<T> consumer) {
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
    public <T extends Task> WorkerBuilder consume(
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
    public <T> WorkerBuilder handle(
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
    public WorkerBuilder state(Object shared) {
        states.add(shared);
        return this;
    }

    /**
     * Names the worker. Two processes must not have the same name.
     *
     * @param value at most 128 characters; by default the host, the process and a random part
     * @return this
     */
    public WorkerBuilder name(String value) {
        name = WorkerLimits.name(value);
        return this;
    }

    /**
     * Sets how many tasks run at once, without those that compute.
     *
     * @param count 100 by default
     * @return this
     */
    public WorkerBuilder concurrency(int count) {
        concurrency = atLeastOne(count);
        return this;
    }

    /**
     * Sets the size of the pool for what computes.
     *
     * @param count as many as there are processors by default
     * @return this
     */
    public WorkerBuilder cpuConcurrency(int count) {
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
     * Sets how long tasks are leased for. After so long, those of a process that died run elsewhere. Handlers may take
     * any time.
     *
     * @param time from 5 seconds to an hour, in whole milliseconds; a minute by default
     * @return this
     */
    public WorkerBuilder lease(Duration time) {
        return shortLease(WorkerLimits.lease(time));
    }

    /** For tests, which cannot wait for the shortest time that a server takes. */
    WorkerBuilder shortLease(Duration time) {
        lease = time;
        return this;
    }

    /**
     * Sets how long handlers have to end when the worker stops.
     *
     * @param time 30 seconds by default
     * @return this
     */
    public WorkerBuilder grace(Duration time) {
        grace = time;
        return this;
    }

    /**
     * Holds less urgent tasks back while the processors are in use: from 60 % on priorities 6 and 7, from 80 % on 3 to
     * 7.
     *
     * @return this
     */
    public WorkerBuilder throttleByCpu() {
        isThrottledByCpu = true;
        return this;
    }

    /**
     * Holds less urgent tasks back under pressure of another kind.
     *
     * @param source measures it
     * @return this
     */
    public WorkerBuilder throttle(PressureSource source) {
        sources.add(source);
        return this;
    }

    /**
     * Sets what reads the use of the machine.
     *
     * @param source by default that of this machine
     * @return this
     */
    public WorkerBuilder resources(ResourceReader source) {
        reader = source;
        return this;
    }

    /**
     * Registers no endpoints: they exist.
     *
     * @return this
     */
    public WorkerBuilder withoutRegistration() {
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
