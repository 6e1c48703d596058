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
        if (count > 0 && !hasRoom(expected)) {
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

    private boolean hasRoom(Footprint added) {
        var rates = monitor.rates();
        return rates.cpu() < PART
                && fits(running.diskRead(), added.diskRead(), rates.diskRead())
                && fits(running.diskWritten(), added.diskWritten(), rates.diskWritten())
                && fits(running.received(), added.received(), rates.received())
                && fits(running.sent(), added.sent(), rates.sent());
    }

    /** What is not known, and what the task does not use, holds nothing back, unless the sum could not be counted. */
    private static boolean fits(long before, long added, double rate) {
        return added == 0
                || (added <= Long.MAX_VALUE - before && (rate < 0 || before + added <= PART * WINDOW_SEC * rate));
    }
}
