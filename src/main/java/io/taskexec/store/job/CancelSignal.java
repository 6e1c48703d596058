package io.taskexec.store.job;

import jakarta.inject.Singleton;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Tells the worker of this process that an execution has been cancelled. Workers of other processes find out when they
 * look after their leases.
 */
@Singleton
public final class CancelSignal {
    private final List<Consumer<UUID>> listeners = new CopyOnWriteArrayList<>();

    /** Calls {@code listener} with the id of every execution that is cancelled here; it must not block. */
    public void onCancel(Consumer<UUID> listener) {
        listeners.add(listener);
    }

    public void raise(UUID executionId) {
        listeners.forEach(listener -> listener.accept(executionId));
    }
}
