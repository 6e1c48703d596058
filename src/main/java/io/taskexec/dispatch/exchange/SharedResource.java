package io.taskexec.dispatch.exchange;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * A resource and the number of its users. The lock of its {@link SharedResources} guards everything but the opening.
 */
public final class SharedResource<K, R> {
    private final K key;
    final CompletableFuture<R> opening = new CompletableFuture<>();
    int users;
    long lastUsed;

    /** Whether those who begin from now on get another one. */
    boolean retired;

    boolean closing;

    SharedResource(K key) {
        this.key = key;
    }

    public K key() {
        return key;
    }

    /**
     * Ends with the resource, or with the reason why it could not be opened. Cancelling it concerns the caller alone.
     */
    public CompletableFuture<R> opening() {
        return opening.copy();
    }

    /** The resource; null while it is being opened, and when that has failed. */
    public @Nullable R ready() {
        return opening.state() == Future.State.SUCCESS ? opening.resultNow() : null;
    }
}
