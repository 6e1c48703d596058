package io.taskexec.schema;

/** A check was ended because it costs more than its budget; the same may work with more. */
public final class BudgetExceededException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final boolean ofTime;

    BudgetExceededException(boolean ofTime) {
        // A client can cause many of these, and the stack tells nothing.
        super("the check costs more than its budget", null, false, false);
        this.ofTime = ofTime;
    }

    /**
     * Whether its time was over. That says nothing about what is checked: the processor may have had other things to
     * do. The steps, of which there were too many otherwise, are the same each time.
     */
    public boolean isOfTime() {
        return ofTime;
    }
}
