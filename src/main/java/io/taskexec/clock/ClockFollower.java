package io.taskexec.clock;

import io.taskexec.store.clock.ClockStore.Kind;
import java.util.Collection;
import java.util.Set;

/** A role whose work becomes due when the clock is moved ahead. */
public interface ClockFollower {
    /** Looks at once for due work of these kinds. */
    void look(Set<Kind> kinds);

    /** Whether nothing runs, and nothing that is known to be due waits. */
    boolean isResting();

    /** The executions that run, as they are shown. */
    Collection<String> running();
}
