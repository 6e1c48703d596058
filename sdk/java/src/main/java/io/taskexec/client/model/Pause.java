package io.taskexec.client.model;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A pause of a schedule. */
public record Pause(
        Instant pausedAt, @Nullable Instant until, @Nullable String reason) {}
