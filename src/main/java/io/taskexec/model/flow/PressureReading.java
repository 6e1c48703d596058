package io.taskexec.model.flow;

import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The pressure that one source tells.
 *
 * @param value from 0 for none to 1 for the most
 * @param workerId the worker that measured it of itself; null for a signal from outside, which all workers follow
 * @param host the host of that worker
 * @param age since it was told
 * @param remaining how long a signal still counts; null for what a worker measured
 */
public record PressureReading(
        String source,
        double value,
        @Nullable UUID workerId,
        @Nullable String host,
        Duration age,
        @Nullable Duration remaining) {}
