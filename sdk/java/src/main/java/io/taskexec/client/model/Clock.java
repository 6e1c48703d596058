package io.taskexec.client.model;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The clock of a server with a virtual one. */
public record Clock(
        Instant now,
        long aheadMs,
        boolean advancing,
        @Nullable Long steps) {}
