package io.taskexec.job;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.UniEmitter;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.schema.CheckBudget;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.SequencedMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * One thread for checks that each take at most so long. The requests that wait for it take turns, so that one with many
 * jobs does not hold up the others.
 */
final class CheckLane {
    private final Duration most;
    private final long mostBytes;
    private final ExecutorService thread;
    private final SequencedMap<CheckTime, Queue<Runnable>> waiting = new LinkedHashMap<>();
    private final Map<String, Long> bytesByKey = new HashMap<>();
    private long bytes;

    /**
     * @param most what one check may take
     * @param mostBytes how large all requests that wait may be together; one key gets half of it at most
     */
    CheckLane(String name, Duration most, long mostBytes) {
        this.most = most;
        this.mostBytes = mostBytes;
        this.thread = Executors.newSingleThreadExecutor(
                Thread.ofPlatform().daemon().name(name).factory());
    }

    /** Does {@code work} for a request, or fails at once when too much waits. */
    <T> Uni<T> run(CheckTime request, Function<CheckBudget, T> work) {
        return Uni.createFrom().emitter(emitter -> {
            var unwanted = new AtomicBoolean();
            emitter.onTermination(() -> unwanted.set(true));
            add(request, () -> {
                if (!unwanted.get()) {
                    run(request, work, emitter);
                }
            });
        });
    }

    private <T> void run(CheckTime request, Function<CheckBudget, T> work, UniEmitter<? super T> emitter) {
        try {
            emitter.complete(request.spend(most, work));
        } catch (RuntimeException | Error e) {
            emitter.fail(e);
        }
    }

    private void add(CheckTime request, Runnable check) {
        synchronized (waiting) {
            if (!waiting.containsKey(request)) {
                admit(request);
            }
            waiting.computeIfAbsent(request, _ -> new ArrayDeque<>()).add(check);
        }
        thread.execute(() -> next().run());
    }

    private void admit(CheckTime request) {
        var ofKey = bytesByKey.getOrDefault(request.key(), 0L) + request.bytes();
        // What has no size is small and shared, and is never refused.
        if (request.bytes() > 0 && (bytes + request.bytes() > mostBytes || ofKey > mostBytes / 2)) {
            throw busy();
        }
        bytes += request.bytes();
        bytesByKey.put(request.key(), ofKey);
    }

    private void leave(CheckTime request) {
        bytes -= request.bytes();
        bytesByKey.computeIfPresent(
                request.key(), (_, ofKey) -> ofKey == request.bytes() ? null : ofKey - request.bytes());
    }

    private Runnable next() {
        synchronized (waiting) {
            var first = waiting.pollFirstEntry();
            var check = first.getValue().remove();
            if (first.getValue().isEmpty()) {
                leave(first.getKey());
            } else {
                waiting.put(first.getKey(), first.getValue());
            }
            return check;
        }
    }

    /** The error of a request that cannot wait any more. */
    static ApiException busy() {
        return new ApiException(ErrorCode.UNAVAILABLE, "Too many inputs are being checked. Please try again.");
    }
}
