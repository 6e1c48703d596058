package io.taskexec.store.job;

import io.taskexec.store.wakeup.Notes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Tells those who run an execution that it has been cancelled, in this process and, by way of {@link Notes}, in others.
 * Only a shortcut: without it they find out when they look after their leases.
 */
@Singleton
public final class CancelSignal {
    private static final String TOPIC = "cancelled";

    private final Notes notes;
    private final List<Consumer<UUID>> listeners = new CopyOnWriteArrayList<>();

    @Inject
    CancelSignal(Notes notes) {
        this.notes = notes;
        notes.onNote(TOPIC, id -> heard(UUID.fromString(id)));
    }

    /** One that no other process hears. */
    public CancelSignal() {
        this(new Notes());
    }

    /** Calls {@code listener} with the id of every execution that is cancelled; it must not block. */
    public void onCancel(Consumer<UUID> listener) {
        listeners.add(listener);
    }

    public void raise(UUID executionId) {
        heard(executionId);
        notes.tell(TOPIC, executionId.toString());
    }

    private void heard(UUID executionId) {
        listeners.forEach(listener -> listener.accept(executionId));
    }
}
