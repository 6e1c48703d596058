package io.taskexec.loop;

import io.smallrye.mutiny.Uni;
import java.time.Duration;

/** Something to do over and over. */
@FunctionalInterface
public interface Duty {
    /**
     * Does it once, without blocking; returns how long to wait before the next time, zero while there is more to do.
     */
    Uni<Duration> runOnce();
}
