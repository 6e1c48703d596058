package io.taskexec.server;

import io.quarkus.runtime.PreventFurtherStepsException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Passes messages between a command and the beans that do its work; Quarkus stands between them. */
public final class Launch {
    private static final AtomicReference<Consumer<String>> LISTENER = new AtomicReference<>(_ -> {});
    private static final AtomicReference<@Nullable String> REFUSAL = new AtomicReference<>();
    private static final AtomicBoolean SERVING = new AtomicBoolean();

    private Launch() {}

    /** Sets who hears what the beans announce. */
    public static void listen(Consumer<String> listener) {
        LISTENER.set(listener);
    }

    public static void announce(String message) {
        LISTENER.get().accept(message);
    }

    /** Says that roles are to be run, and not one of the other commands. */
    static void serving() {
        SERVING.set(true);
    }

    static boolean isServing() {
        return SERVING.get();
    }

    /** To be thrown while Quarkus starts: it stops then, but does not pass the reason on. */
    static PreventFurtherStepsException refuse(String reason) {
        REFUSAL.set(reason);
        return new PreventFurtherStepsException(reason, Server.REFUSED);
    }

    /** The same for what has started already; returns the exit code. */
    public static int refused(String reason) {
        REFUSAL.set(reason);
        return Server.REFUSED;
    }

    /** The reason why the start was refused, null when it was not. */
    static @Nullable String refusal() {
        return REFUSAL.get();
    }
}
