package io.taskexec.dispatch.exchange;

import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Shares one resource for each key, such as a connection for each server, among all who use it at the same time. A
 * resource that is not used for a while is closed; when the limit is reached, the least recently used one makes room.
 * A resource in use is never closed.
 */
public final class SharedResources<K, R> {
    private static final Duration SWEEP = Duration.ofMinutes(1);

    private final Vertx vertx;
    private final Source<K, R> source;
    private final int limit;
    private final Duration idle;
    private final LongSupplier nanoTime;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();

    /** The one that users of a key get, least recently used first. */
    private final Map<K, SharedResource<K, R>> current = new LinkedHashMap<>(16, 0.75f, true);

    private int open;

    /** Those of them that are unused and being closed, whose places will be free by themselves. */
    private int closing;

    private boolean closed;
    private @Nullable Long sweep;

    /** Opens and closes resources. No method may block or wait for another thread. */
    public interface Source<K, R> {
        /**
         * Opens a resource.
         *
         * @param broken to run when the resource can no longer be used, at any time and on any thread
         */
        CompletionStage<R> open(K key, Runnable broken);

        /** Closes {@code resource}, whose place is free when the stage has ended. */
        CompletionStage<Void> close(R resource);

        /** Whether {@code resource} can be given to one user more. */
        default boolean isUsable(R resource) {
            return true;
        }
    }

    public SharedResources(Vertx vertx, Source<K, R> source, int limit, Duration idle, LongSupplier nanoTime) {
        this.vertx = vertx;
        this.source = source;
        this.limit = limit;
        this.idle = idle;
        this.nanoTime = nanoTime;
    }

    /** The number of resources, including those that are being opened or closed, or are retired and still in use. */
    public int open() {
        lock.lock();
        try {
            return open;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The resource of {@code key} for one user more, who must {@link #release} it; null when the limit is reached and
     * all are in use.
     */
    public @Nullable SharedResource<K, R> acquire(K key) {
        lock.lock();
        try {
            return find(key);
        } finally {
            lock.unlock();
        }
    }

    /** As {@link #acquire(Object)}; blocks for up to {@code patience} while all are in use. */
    public @Nullable SharedResource<K, R> acquire(K key, Duration patience) throws InterruptedException {
        var left = patience.toNanos();
        lock.lockInterruptibly();
        try {
            var found = find(key);
            while (found == null && left > 0 && !closed) {
                left = room.awaitNanos(left);
                found = find(key);
            }
            return found;
        } finally {
            lock.unlock();
        }
    }

    /** Ends a use that began with {@link #acquire}. */
    public void release(SharedResource<K, R> shared) {
        lock.lock();
        try {
            shared.users--;
            shared.lastUsed = nanoTime.getAsLong();
            closeIfUnused(shared);
            if (shared.users == 0) {
                room.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Lends {@code shared} to no other user. It is closed when the last user has released it. */
    public void retire(SharedResource<K, R> shared) {
        lock.lock();
        try {
            shared.retired = true;
            var _ = current.remove(shared.key(), shared);
            closeIfUnused(shared);
        } finally {
            lock.unlock();
        }
    }

    /** Closes those that were not used for a while. */
    public void closeIdle() {
        lock.lock();
        try {
            var now = nanoTime.getAsLong();
            List.copyOf(current.values()).stream()
                    .filter(shared -> shared.users == 0 && now - shared.lastUsed >= idle.toNanos())
                    .forEach(this::retire);
        } finally {
            lock.unlock();
        }
    }

    /** Closes all, those in use as soon as they are released. No other is opened after that. */
    public void close() {
        lock.lock();
        try {
            closed = true;
            if (sweep != null) {
                var _ = vertx.cancelTimer(sweep);
            }
            List.copyOf(current.values()).forEach(this::retire);
            room.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private @Nullable SharedResource<K, R> find(K key) {
        var found = current.get(key);
        if (found != null && !isUsable(found)) {
            retire(found);
            found = null;
        }
        if (found == null) {
            if (closed || !hasRoom()) {
                return null;
            }
            return add(key);
        }
        found.users++;
        return found;
    }

    private boolean isUsable(SharedResource<K, R> shared) {
        var resource = shared.ready();
        return resource == null || source.isUsable(resource);
    }

    private boolean hasRoom() {
        if (open - closing >= limit) {
            current.values().stream()
                    .filter(shared -> shared.users == 0)
                    .findFirst()
                    .ifPresent(this::retire);
        }
        return open < limit;
    }

    private SharedResource<K, R> add(K key) {
        if (sweep == null) {
            sweep = vertx.setPeriodic(SWEEP.toMillis(), _ -> closeIdle());
        }
        var added = new SharedResource<K, R>(key);
        added.users++;
        current.put(key, added);
        open++;
        var _ = open(added).whenComplete((resource, failure) -> {
            if (failure == null) {
                added.opening.complete(resource);
            } else {
                // First, so that a user that tries again after the failure gets another one.
                retire(added);
                added.opening.completeExceptionally(failure);
            }
        });
        return added;
    }

    private CompletionStage<R> open(SharedResource<K, R> added) {
        try {
            return source.open(added.key(), () -> retire(added));
        } catch (RuntimeException e) {
            return CompletableFuture.failedStage(e);
        }
    }

    private void closeIfUnused(SharedResource<K, R> shared) {
        if (shared.retired && shared.users == 0 && !shared.closing) {
            shared.closing = true;
            closing++;
            var _ = shared.opening.thenCompose(source::close).whenComplete((_, _) -> freePlace());
        }
    }

    private void freePlace() {
        lock.lock();
        try {
            open--;
            closing--;
            room.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
