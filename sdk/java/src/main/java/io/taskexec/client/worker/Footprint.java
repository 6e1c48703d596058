package io.taskexec.client.worker;

/**
 * The bytes that a task is expected to read, write and transfer.
 *
 * @param diskRead in bytes
 * @param diskWritten in bytes
 * @param received over the network, in bytes
 * @param sent over the network, in bytes
 */
public record Footprint(long diskRead, long diskWritten, long received, long sent) {
    /** Nothing at all. */
    public static final Footprint NONE = new Footprint(0, 0, 0, 0);

    /** Has no negative sizes. */
    public Footprint {
        if (diskRead < 0 || diskWritten < 0 || received < 0 || sent < 0) {
            throw new IllegalArgumentException("A size is negative.");
        }
    }

    /**
     * Returns the footprint of a task that uses the disk.
     *
     * @param read in bytes
     * @param written in bytes
     * @return the footprint
     */
    public static Footprint disk(long read, long written) {
        return new Footprint(read, written, 0, 0);
    }

    /**
     * Returns the footprint of a task that uses the network.
     *
     * @param received in bytes
     * @param sent in bytes
     * @return the footprint
     */
    public static Footprint network(long received, long sent) {
        return new Footprint(0, 0, received, sent);
    }

    Footprint plus(Footprint other) {
        return new Footprint(
                diskRead + other.diskRead,
                diskWritten + other.diskWritten,
                received + other.received,
                sent + other.sent);
    }

    Footprint minus(Footprint other) {
        return new Footprint(
                diskRead - other.diskRead,
                diskWritten - other.diskWritten,
                received - other.received,
                sent - other.sent);
    }
}
