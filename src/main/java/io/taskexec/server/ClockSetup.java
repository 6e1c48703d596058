package io.taskexec.server;

import io.quarkus.runtime.StartupEvent;
import io.taskexec.clock.VirtualClock;
import io.taskexec.config.StartRefusedException;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;

/** Sets the virtual clock of {@code dev} before anything goes by it. */
@Singleton
final class ClockSetup {
    /** After that of the schema, whose tables the clock needs. */
    private static final int AFTER_SCHEMA = 3_000;

    private final VirtualClock clock;

    ClockSetup(VirtualClock clock) {
        this.clock = clock;
    }

    void prepare(@Observes @Priority(AFTER_SCHEMA) StartupEvent event) {
        if (!clock.start()) {
            throw new StartRefusedException("The clock of this data directory was moved ahead: use --virtual-clock, or"
                    + " another --data-dir.");
        }
    }
}
