package io.taskexec.api;

/**
 * A place between two lines of the log of an execution.
 *
 * @param shown how many lines of the attempt come before it
 */
record LogPlace(int attempt, int shown) {
    static final LogPlace BEGINNING = new LogPlace(0, 0);
}
