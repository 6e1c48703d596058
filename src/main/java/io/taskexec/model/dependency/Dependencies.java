package io.taskexec.model.dependency;

import java.util.List;
import java.util.UUID;

/**
 * The jobs that a job waits for, and how they must end.
 *
 * @param parents at most {@link #MOST_PARENTS}, none twice
 */
public record Dependencies(List<Parent> parents, TriggerRule rule) {
    /** Parents of one job. */
    public static final int MOST_PARENTS = 100;

    /**
     * A job that another one waits for: the execution that it was created with counts, not those that repeat it.
     *
     * @param name in the templates of the child
     */
    public record Parent(UUID id, String name) {}
}
