package io.taskexec.model;

import java.util.List;

/**
 * The result of checking an invariant.
 *
 * @param count how often it does not hold among what was looked at
 * @param examples a few of those, by their ids
 */
public record Finding(Invariant invariant, long count, List<String> examples) {
    /** The limit of examples. */
    public static final int MAX_EXAMPLES = 5;

    /** Whether this is more than a warning. */
    public boolean isViolation() {
        return count > 0 && invariant.severity() == Invariant.Severity.VIOLATION;
    }
}
