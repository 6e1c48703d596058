package io.taskexec.worker.pressure;

/**
 * Measures how hard something that this process needs is pressed. Every bean of this type is asked once a second; the
 * highest pressure of all sources decides which priorities may start here.
 *
 * <p>What it measures is smoothed here, so it may jump. It may be asked on any thread, but never twice at the same
 * time.
 */
public interface PressureSource {
    /** Its name in metrics and in the API: lower-case letters, digits and hyphens, and the same each time. */
    String name();

    /**
     * The pressure at this moment, from 0 for none to 1 for the most; anything beyond counts as the nearer end. A
     * source that fails, or answers with a NaN, does not count this time. It may read files, but waits for nothing:
     * while it does, the pressure of this process stays as it was.
     */
    double read();
}
