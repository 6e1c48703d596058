package io.taskexec.store.metrics;

import static java.util.Objects.requireNonNull;

import io.micrometer.core.instrument.Counter;
import io.taskexec.observe.metrics.Meters;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Counts what happens to deferred executions. */
public final class WaitMetrics {
    private final Counter deferred;
    private final Map<String, Counter> callbacks;
    private final Map<String, Counter> polls;

    WaitMetrics(Meters meters) {
        deferred = meters.counter("taskexec.deferred", "Attempts that were deferred");
        callbacks = byResult(
                List.of("accepted", "refused"),
                result -> meters.counter("taskexec.callbacks", "Callbacks of receivers", "result", result));
        polls = byResult(
                List.of("pending", "success", "failed", "unanswered"),
                result -> meters.counter("taskexec.polls", "Polls of deferred executions", "result", result));
    }

    private static Map<String, Counter> byResult(List<String> results, Function<String, Counter> counter) {
        return results.stream().collect(Collectors.toUnmodifiableMap(Function.identity(), counter));
    }

    /** Counts attempts that were left to their receivers. */
    public void deferred(int n) {
        deferred.increment(n);
    }

    /** Counts a callback by its result: {@code accepted} or {@code refused}. */
    public void callback(String result) {
        requireNonNull(callbacks.get(result)).increment();
    }

    /** Counts a poll by its result: {@code pending}, {@code success}, {@code failed} or {@code unanswered}. */
    public void poll(String result) {
        requireNonNull(polls.get(result)).increment();
    }
}
