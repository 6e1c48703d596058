package io.taskexec.model;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Some items of a list.
 *
 * @param next where the next page starts, null at the end
 */
public record Page<T, K>(List<T> items, @Nullable K next) {
    /**
     * The first {@code limit} of the items, of which one more was looked for to see whether more follows.
     *
     * @param place where the next page starts when an item is the last of this one
     */
    public static <T, K> Page<T, K> of(List<T> found, int limit, Function<T, K> place) {
        return of(found, limit, place, null);
    }

    /**
     * The same of a list that was not looked through to its end.
     *
     * @param lookedAt where the next page starts when there are no more among those that were looked at; null when
     *     these are all
     */
    public static <T, K> Page<T, K> of(List<T> found, int limit, Function<T, K> place, @Nullable K lookedAt) {
        return found.size() > limit
                ? new Page<>(found.subList(0, limit), place.apply(found.get(limit - 1)))
                : new Page<>(found, lookedAt);
    }
}
