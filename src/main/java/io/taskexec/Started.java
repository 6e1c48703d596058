package io.taskexec;

import java.util.concurrent.atomic.AtomicReference;

/** What is to be said once the program is ready; set by the command that starts it. */
final class Started {
    private static final AtomicReference<Runnable> ANNOUNCEMENT = new AtomicReference<>(() -> {});

    private Started() {}

    static void then(Runnable announcement) {
        ANNOUNCEMENT.set(announcement);
    }

    static void announce() {
        ANNOUNCEMENT.get().run();
    }
}
