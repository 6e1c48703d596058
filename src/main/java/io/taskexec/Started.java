package io.taskexec;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** Carries what there is to say from inside Quarkus to the command that started it. */
final class Started {
    private static final AtomicReference<Consumer<String>> LISTENER = new AtomicReference<>(_ -> {});

    private Started() {}

    static void then(Consumer<String> listener) {
        LISTENER.set(listener);
    }

    static void announce(String message) {
        LISTENER.get().accept(message);
    }
}
