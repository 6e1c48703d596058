package io.taskexec.store.endpoint;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The wanted part of a list of named things, newest first.
 *
 * @param limit items at most
 * @param after the last item of the page before, null for the first page
 */
public record PageQuery(int limit, @Nullable Position after) {
    /** A place in a list that is ordered by time of creation and then by name; new items do not move it. */
    public record Position(Instant createdAt, String name) {}
}
