package io.taskexec.store.job;

import io.taskexec.store.wakeup.ProcessBroadcast;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Tells those who run an execution that it has been cancelled, in this process and, by way of {@link
 * ProcessBroadcast}, in others. Only a shortcut: without it they find out when they look after their leases.
 */
@Singleton
public final class CancelSignal {
    private static final String TOPIC = "cancelled";

    private final ProcessBroadcast broadcast;
    private final List<Consumer<UUID>> listeners = new CopyOnWriteArrayList<>();

    @Inject
    CancelSignal(ProcessBroadcast broadcast) {
        this.broadcast = broadcast;
        broadcast.onNote(TOPIC, id -> heard(UUID.fromString(id)));
    }

    /** One that no other process hears. */
    public CancelSignal() {
        this(new ProcessBroadcast());
    }

    /** Calls {@code listener} with the id of every execution that is cancelled; it must not block. */
    public void onCancel(Consumer<UUID> listener) {
        listeners.add(listener);
    }

    public void raise(UUID executionId) {
        heard(executionId);
        broadcast.tell(TOPIC, executionId.toString());
    }

    private void heard(UUID executionId) {
        listeners.forEach(listener -> listener.accept(executionId));
    }
}
