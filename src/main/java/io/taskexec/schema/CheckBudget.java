package io.taskexec.schema;

import java.time.Duration;
import java.util.function.Supplier;

/**
 * Limits the cost of one check: steps of about a tenth of a microsecond, and time. All that grows with the input or the
 * schema is charged to the budget of the check that runs: values that are looked at, regular expressions, references.
 * For one thread.
 */
public final class CheckBudget {
    /** The limit for a single input or schema; takes about two seconds. */
    public static final long MOST_STEPS = 20_000_000;

    private static final ScopedValue<CheckBudget> CURRENT = ScopedValue.newInstance();
    private static final int CHARGES_PER_LOOK = 8;

    private final long endsAt;
    private final boolean cut;
    private long steps;
    private int charges;

    private CheckBudget(long steps, long endsAt, boolean cut) {
        this.steps = steps;
        this.endsAt = endsAt;
        this.cut = cut;
    }

    /** A budget whose time begins now. */
    public static CheckBudget of(long steps, Duration time) {
        return new CheckBudget(steps, System.nanoTime() + time.toNanos(), false);
    }

    /** A part of what is left of the current budget, which ends when that does. */
    static CheckBudget part(long steps) {
        var whole = CURRENT.get();
        return new CheckBudget(Math.min(steps, whole.steps), whole.endsAt, whole.steps < steps);
    }

    /** Does work that is charged to this budget; throws {@link BudgetExceededException}. */
    <T> T spendOn(Supplier<T> work) {
        return ScopedValue.where(CURRENT, this).call(work::get);
    }

    /** Charges the current budget, if there is one. */
    static void charge(long steps) {
        if (CURRENT.isBound()) {
            CURRENT.get().take(steps);
        }
    }

    /** Ends the current check when its time is over. */
    static void look() {
        if (CURRENT.isBound()) {
            CURRENT.get().lookAtTime();
        }
    }

    private void take(long cost) {
        steps -= cost;
        if (steps < 0) {
            throw new BudgetExceededException(false);
        }
        if (++charges % CHARGES_PER_LOOK == 0) {
            lookAtTime();
        }
    }

    private void lookAtTime() {
        if (System.nanoTime() - endsAt > 0) {
            throw new BudgetExceededException(true);
        }
    }

    /** Whether this part was to have more steps than the whole had left. */
    boolean isCut() {
        return cut;
    }
}
