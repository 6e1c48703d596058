package io.taskexec.client.worker;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The leases of a worker, from their beginning until their end is recorded. */
final class HeldLeases {
    private final Map<String, RunningTask> tasks = new ConcurrentHashMap<>();

    void add(RunningTask task) {
        tasks.put(task.token(), task);
    }

    @Nullable
    RunningTask get(String lease) {
        return tasks.get(lease);
    }

    boolean holds(String lease) {
        return tasks.containsKey(lease);
    }

    void remove(String lease) {
        tasks.remove(lease);
    }

    Collection<RunningTask> all() {
        return tasks.values();
    }

    /** Whether one was not extended for so long. */
    boolean isAnyOlderThan(Duration time) {
        var now = System.nanoTime();
        return tasks.values().stream().anyMatch(task -> now - task.extendedAt() >= time.toNanos());
    }

    void cancel(String lease, String reason) {
        var task = tasks.get(lease);
        if (task != null) {
            task.cancel(reason);
        }
    }
}
