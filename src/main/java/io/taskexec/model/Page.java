package io.taskexec.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Some items of a list.
 *
 * @param next where the next page starts, null at the end
 */
public record Page<T, K>(List<T> items, @Nullable K next) {}
