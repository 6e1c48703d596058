package io.taskexec.client.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of a list.
 *
 * @param items at most as many as the limit
 * @param cursor of the next page; null on the last one
 * @param <T> the items
 */
public record Page<T>(List<T> items, @Nullable String cursor) {}
