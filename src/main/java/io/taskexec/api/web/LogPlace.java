package io.taskexec.api.web;

/**
 * A place between two lines of the log of an execution.
 *
 * @param shown how many lines of the attempt come before it
 */
public record LogPlace(int attempt, int shown) {
    public static final LogPlace BEGINNING = new LogPlace(0, 0);
}
