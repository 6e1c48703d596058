package io.taskexec.schema;

/** A check was ended because it costs more than its budget; the same may work with more. */
public final class BudgetExceededException extends RuntimeException {
    private static final long serialVersionUID = 1;

    BudgetExceededException() {
        // A client can cause many of these, and the stack tells nothing.
        super("the check costs more than its budget", null, false, false);
    }
}
