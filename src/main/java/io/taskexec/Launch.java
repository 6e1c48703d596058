package io.taskexec;

import io.quarkus.runtime.PreventFurtherStepsException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** What passes between the command line and the beans, between which Quarkus stands. */
final class Launch {
    private static final int REFUSED = 2;
    private static final AtomicBoolean SERVING = new AtomicBoolean();
    private static final AtomicReference<@Nullable String> REFUSAL = new AtomicReference<>();

    private Launch() {}

    static void begin(boolean serving) {
        SERVING.set(serving);
    }

    /** Whether roles are started, which is not so of a command that only needs the database. */
    static boolean isServing() {
        return SERVING.get();
    }

    /** To be thrown while Quarkus starts. It stops then, but does not pass the reason on. */
    static PreventFurtherStepsException refuse(String reason) {
        REFUSAL.set(reason);
        return new PreventFurtherStepsException(reason, REFUSED);
    }

    /** Why the start was refused, null when it was not. */
    static @Nullable String refusal() {
        return REFUSAL.get();
    }
}
