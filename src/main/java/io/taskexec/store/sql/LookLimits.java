package io.taskexec.store.sql;

/** Limits of what is looked at for a part of a list by conditions that no index knows: some tens of milliseconds. */
public final class LookLimits {
    /** Rows that say it themselves. */
    public static final int ROWS = 50_000;

    /** Rows for which another table is asked. */
    public static final int LOOKUPS = 5_000;

    private LookLimits() {}
}
