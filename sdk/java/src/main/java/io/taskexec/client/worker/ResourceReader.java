package io.taskexec.client.worker;

/** Reads what the machine does. */
@FunctionalInterface
public interface ResourceReader {
    /**
     * Reads it.
     *
     * @return the state of this moment
     */
    Reading read();

    /**
     * The state of a moment. Counters begin anywhere; one that is not known is always -1.
     *
     * @param cpu the part of the processors that has been used since the last reading, 0 to 1
     * @param diskRead a counter of bytes
     * @param diskWritten a counter of bytes
     * @param received a counter of bytes
     * @param sent a counter of bytes
     */
    record Reading(double cpu, long diskRead, long diskWritten, long received, long sent) {}

    /**
     * Returns the reader of this machine.
     *
     * @return one that reads {@code /proc} on Linux, and elsewhere the use of the processors alone
     */
    static ResourceReader ofSystem() {
        return ProcReader.isUsable() ? new ProcReader() : new CpuReader();
    }
}
