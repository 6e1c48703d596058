package io.taskexec.client.worker;

/**
 * Lets tasks with a footprint begin while the machine has room for them. Within the next two seconds a device does as
 * much as it has done on average; the tasks that run, and the one that wants to begin, may expect 80 % of that. Nor
 * does one begin while 80 % of the processors are in use. One task may always run, so that there is something to
 * measure.
 */
final class ResourceGate {
    private static final double WINDOW_SEC = 2;
    private static final double PART = 0.8;

    private final ResourceMonitor monitor;
    private Footprint running = Footprint.NONE;
    private int count;

    ResourceGate(ResourceMonitor monitor) {
        this.monitor = monitor;
    }

    synchronized boolean tryEnter(Footprint expected) {
        if (count > 0 && !hasRoom(running.plus(expected), expected)) {
            return false;
        }
        running = running.plus(expected);
        count++;
        return true;
    }

    synchronized void leave(Footprint expected) {
        running = running.minus(expected);
        count--;
    }

    private boolean hasRoom(Footprint all, Footprint added) {
        var rates = monitor.rates();
        return rates.cpu() < PART
                && fits(all.diskRead(), added.diskRead(), rates.diskRead())
                && fits(all.diskWritten(), added.diskWritten(), rates.diskWritten())
                && fits(all.received(), added.received(), rates.received())
                && fits(all.sent(), added.sent(), rates.sent());
    }

    /** What is not known, and what the task does not use, holds nothing back. */
    private static boolean fits(long all, long added, double rate) {
        return added == 0 || rate < 0 || all <= PART * WINDOW_SEC * rate;
    }
}
