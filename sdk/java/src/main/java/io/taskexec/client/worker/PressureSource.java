package io.taskexec.client.worker;

/** A measure of how pressed this process, or what it uses, is. */
@FunctionalInterface
public interface PressureSource {
    /**
     * Measures. It is called before tasks are asked for, and should answer at once.
     *
     * @return from 0, idle, to 1, where only the most urgent tasks begin
     */
    double pressure();
}
