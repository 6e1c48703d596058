package io.taskexec.schema;

/** A check was ended because it costs more than its budget; the same may work with more. */
public final class BudgetExceededException extends RuntimeException {
    private static final long serialVersionUID = 1;

    BudgetExceededException() {
        // Thrown often when a client wants it, and nobody looks at the stack.
        super("the check costs more than its budget", null, false, false);
    }
}
