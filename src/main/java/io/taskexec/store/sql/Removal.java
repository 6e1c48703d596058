package io.taskexec.store.sql;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The result of one small batch of a walk through a table.
 *
 * @param seen rows that were looked at; fewer than allowed at the end of the table
 * @param removed those of them that are no longer there
 * @param last where the next batch goes on; null when nothing was left to look at
 */
public record Removal(int seen, int removed, @Nullable UUID last) {}
