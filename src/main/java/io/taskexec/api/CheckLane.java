package io.taskexec.api;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.UniEmitter;
import io.taskexec.schema.CheckBudget;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
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
    /** Each may hold a body of 1 MiB, and what has been read from it. */
    private static final int MAX_REQUESTS = 8;

    private final Duration most;
    private final ExecutorService thread;
    private final SequencedMap<CheckTime, Queue<Runnable>> waiting = new LinkedHashMap<>();

    /** @param most what one check may take */
    CheckLane(String name, Duration most) {
        this.most = most;
        this.thread = Executors.newSingleThreadExecutor(
                Thread.ofPlatform().daemon().name(name).factory());
    }

    /** Does {@code work} for a request, or fails at once when too many requests wait. */
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
            if (!waiting.containsKey(request) && waiting.size() >= MAX_REQUESTS) {
                throw busy();
            }
            waiting.computeIfAbsent(request, _ -> new ArrayDeque<>()).add(check);
        }
        thread.execute(() -> next().run());
    }

    private Runnable next() {
        synchronized (waiting) {
            var first = waiting.pollFirstEntry();
            var check = first.getValue().remove();
            if (!first.getValue().isEmpty()) {
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
