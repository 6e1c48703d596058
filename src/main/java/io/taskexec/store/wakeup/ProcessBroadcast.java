package io.taskexec.store.wakeup;

import jakarta.inject.Singleton;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jboss.logging.Logger;

/**
 * Short texts that a process tells all others, by way of {@link Wakeups}. Only a shortcut: a note may be lost, and what
 * it tells is found without it, later.
 */
@Singleton
public final class ProcessBroadcast {
    private static final Logger LOG = Logger.getLogger(ProcessBroadcast.class);

    private final Map<String, Consumer<String>> listeners = new ConcurrentHashMap<>();
    private final List<Consumer<String>> carriers = new CopyOnWriteArrayList<>();

    /** Calls {@code listener} with the notes of other processes about {@code topic}, a word; it must not block. */
    public void onNote(String topic, Consumer<String> listener) {
        listeners.put(topic, listener);
    }

    /** Calls {@code carrier} at every note of this process. */
    void onTell(Consumer<String> carrier) {
        carriers.add(carrier);
    }

    /** Tells other processes. */
    public void tell(String topic, String text) {
        carriers.forEach(carrier -> carrier.accept(topic + " " + text));
    }

    /** A note of another process, which may be of another version, or of anybody else who may use the database. */
    void heard(String note) {
        var topic = note.indexOf(' ');
        var listener = topic < 0 ? null : listeners.get(note.substring(0, topic));
        if (listener != null) {
            try {
                listener.accept(note.substring(topic + 1));
            } catch (RuntimeException e) {
                LOG.debugf(e, "a note cannot be read: %s", note);
            }
        }
    }
}
