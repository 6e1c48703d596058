package io.taskexec.scheduler;

import io.taskexec.loop.Duty;
import org.jspecify.annotations.Nullable;

/** A duty of the scheduler role. Each one is a bean; {@link Scheduler} runs all of them. */
interface SchedulerDuty extends Duty {
    /** Its name in the log, such as "removing old history". */
    String name();

    /** Its name in the health checks; null when executions do not depend on it. */
    default @Nullable String progressName() {
        return null;
    }

    /** Whether it is not needed while metrics are off. */
    default boolean isForMetricsOnly() {
        return false;
    }

    /** Whether it runs at once when a schedule may have a tick earlier than any before. */
    default boolean isWokenByTicks() {
        return false;
    }

    /** When it looks at once after the virtual clock has been moved. */
    default ClockStep clockStep() {
        return ClockStep.NONE;
    }

    /** Steps of the virtual clock. */
    enum ClockStep {
        NONE,
        TO_TICK,
        TO_OTHER,
        OF_DAY
    }

    /** Passes the way to run it at once. */
    default void onWake(Runnable wakes) {
        // Most duties just wait for their time.
    }
}
