package io.taskexec.model.flow;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A limit of the executions of an endpoint that run at once, found out from the answers of its receiver.
 *
 * @param ceiling the limit at which the receiver refused last; null when it has refused nothing since this began
 * @param changes grows with each change
 * @param sinceChange time since the last change
 * @param sinceRefusal time since a refusal lowered it; null when none has
 * @param open executions that hold a place
 * @param hasLine whether executions wait for a place
 */
public record AdaptiveLimit(
        String endpoint,
        int limit,
        @Nullable Integer ceiling,
        int changes,
        Duration sinceChange,
        @Nullable Duration sinceRefusal,
        int open,
        boolean hasLine) {}
