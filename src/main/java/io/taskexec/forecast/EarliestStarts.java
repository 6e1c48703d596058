package io.taskexec.forecast;

import io.taskexec.store.forecast.StartLimits.OfEndpoint;
import io.taskexec.store.forecast.StartLimits.OfQueue;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Tells from when on executions start: a disabled endpoint and a paused queue hold theirs back. */
final class EarliestStarts {
    private final Set<String> disabled;
    private final Map<Integer, Integer> paused;

    EarliestStarts(Horizon horizon, List<OfEndpoint> endpoints, List<OfQueue> queues) {
        this.disabled = endpoints.stream()
                .filter(OfEndpoint::isDisabled)
                .map(OfEndpoint::endpoint)
                .collect(Collectors.toUnmodifiableSet());
        this.paused = queues.stream()
                .filter(OfQueue::isPaused)
                .collect(Collectors.toUnmodifiableMap(OfQueue::id, queue -> end(horizon, queue)));
    }

    private static int end(Horizon horizon, OfQueue queue) {
        var until = queue.pausedUntil();
        return until == null || !until.isBefore(horizon.end())
                ? horizon.minutes()
                : Math.max(0, Horizon.minute(horizon.millis(until)));
    }

    /** The first minute in which an execution may start; one after the horizon when none may. */
    int of(String endpoint, int queueId) {
        return disabled.contains(endpoint) ? Integer.MAX_VALUE : paused.getOrDefault(queueId, 0);
    }
}
