package io.taskexec.model.job;

/**
 * Decides about ticks with fixed hours when the clock is put forward (a gap) or back (an overlap). Schedules whose hour
 * field starts with {@code *} follow elapsed time instead, whatever the policy says.
 */
public record DstPolicy(Gap gap, Overlap overlap) {
    /** A skipped time fires at the first instant after the gap, a repeated time fires once. */
    public static final DstPolicy DEFAULT = new DstPolicy(Gap.SHIFT, Overlap.FIRST);

    /** Nothing is suppressed: a skipped time fires after the gap, a repeated time fires twice. */
    public static final DstPolicy EVERY_TIME = new DstPolicy(Gap.SHIFT, Overlap.BOTH);

    /** Fires whenever the clock shows a time of the schedule. */
    public static final DstPolicy ELAPSED = new DstPolicy(Gap.SKIP, Overlap.BOTH);

    /** Decides about a local time that the clock skips. */
    public enum Gap {
        /** It fires at the first instant after the gap; all times in one gap fire once together. */
        SHIFT,
        /** It does not fire. */
        SKIP
    }

    /** Decides about a local time that the clock shows twice. */
    public enum Overlap {
        /** The first time. */
        FIRST,
        /** The second time. */
        SECOND,
        /** Both times. */
        BOTH
    }
}
