package io.taskexec.api.execution;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.execution.ExecutionMarks;
import io.vertx.ext.web.RoutingContext;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;

/** Lets requests wait for changes of executions, with one statement at a time for all of them. */
@Singleton
public final class ExecutionWatch {
    private static final Logger LOG = Logger.getLogger(ExecutionWatch.class);

    /** The longest that a request may wait. */
    public static final Duration LONGEST = Duration.ofMinutes(1);

    /** Requests that wait in this process; one more is answered at once. */
    static final int MOST = 1_000;

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(200);

    private final ExecutionMarks marks;
    private final Set<Waiter> waiters = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean looking = new AtomicBoolean();
    private volatile boolean stopping;

    ExecutionWatch(ExecutionMarks marks) {
        this.marks = marks;
    }

    /** A request that waits until the mark of an execution is another one. */
    private record Waiter(UUID id, String mark, CompletableFuture<Boolean> changed) {
        void see(Map<UUID, String> now) {
            if (!mark.equals(now.getOrDefault(id, mark))) {
                changed.complete(true);
            }
        }
    }

    /** The mark of an execution at this moment. */
    Uni<String> mark(UUID id) {
        return marks.of(Set.of(id)).map(all -> all.getOrDefault(id, ""));
    }

    /** Comes when an execution has ended, after {@code time}, or when the client that waits has gone. */
    public Uni<Void> end(UUID id, Duration time, RoutingContext client) {
        return Uni.combine().any().of(endBefore(id, System.nanoTime() + time.toNanos()), gone(client));
    }

    private static Uni<Void> gone(RoutingContext client) {
        return Uni.createFrom().emitter(gone -> {
            var _ = client.addEndHandler(_ -> gone.complete(null));
            // A handler that is added after the end is not called.
            if (client.response().closed()) {
                gone.complete(null);
            }
        });
    }

    private Uni<Void> endBefore(UUID id, long deadline) {
        return mark(id).chain(mark -> {
            var left = Duration.ofNanos(deadline - System.nanoTime());
            return ExecutionMarks.isOfEnded(mark) || !left.isPositive()
                    ? Uni.createFrom().voidItem()
                    : change(id, mark, left)
                            .chain(changed -> changed
                                    ? endBefore(id, deadline)
                                    : Uni.createFrom().voidItem());
        });
    }

    /** Returns whether the mark of an execution has become another one within {@code time}. */
    Uni<Boolean> change(UUID id, String mark, Duration time) {
        if (waiters.size() >= MOST) {
            return Uni.createFrom().item(false);
        }
        var waiter = new Waiter(id, mark, new CompletableFuture<>());
        waiters.add(waiter);
        if (stopping) {
            waiter.changed().complete(false);
        }
        look();
        return Uni.createFrom()
                .completionStage(waiter.changed())
                .ifNoItem()
                .after(time)
                .recoverWithItem(false)
                .onTermination()
                .invoke(() -> waiters.remove(waiter));
    }

    /** Ends all waits, also of requests that come later: they are answered with the present state. */
    public void stop() {
        stopping = true;
        waiters.forEach(waiter -> waiter.changed().complete(false));
    }

    private void look() {
        if (looking.compareAndSet(false, true)) {
            lookAgain();
        }
    }

    private void lookAgain() {
        Uni.createFrom()
                .voidItem()
                .onItem()
                .delayIt()
                .by(BETWEEN_LOOKS)
                .chain(() -> marks.of(waiters.stream().map(Waiter::id).collect(Collectors.toSet())))
                .invoke(now -> waiters.forEach(waiter -> waiter.see(now)))
                .onFailure()
                .invoke(failure -> LOG.debugf("changes of executions are looked for later: %s", failure))
                .subscribe()
                .with(_ -> next(), _ -> next());
    }

    private void next() {
        looking.set(false);
        if (!waiters.isEmpty()) {
            look();
        }
    }
}
