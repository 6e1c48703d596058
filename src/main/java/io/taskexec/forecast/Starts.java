package io.taskexec.forecast;

/** Takes starts. */
@FunctionalInterface
interface Starts {
    /**
     * Adds some.
     *
     * @param millis when, from the start of the horizon
     */
    void add(long millis, double count);
}
