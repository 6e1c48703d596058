package io.taskexec.client.model;

import org.jspecify.annotations.Nullable;

/** A signal of pressure, or what a worker measures. */
public record PressureReading(
        String source,
        double value,
        @Nullable String workerId,
        @Nullable String host,
        long ageMs,
        @Nullable Long remainingMs) {}
