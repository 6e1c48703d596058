import java.time.Duration;

/** Holds each call for the same time, and counts those that are open. */
final class OpenCalls implements Reception {
    private final Reply reply;
    private int open;
    private int most;
    private long callNanos;
    private long changedNanos = System.nanoTime();
    private long firstBeginNanos;
    private long lastBeginNanos;

    OpenCalls(Duration hold) {
        this.reply = Reply.ok(hold);
    }

    @Override
    public synchronized Reply begin(int n, long nanos) {
        count();
        firstBeginNanos = firstBeginNanos == 0 ? nanos : firstBeginNanos;
        open++;
        most = Math.max(most, open);
        lastBeginNanos = nanos;
        return reply;
    }

    @Override
    public synchronized void end(Reply sent) {
        count();
        open--;
    }

    private void count() {
        long now = System.nanoTime();
        callNanos += open * (now - changedNanos);
        changedNanos = now;
    }

    /** How many were open at once at most. */
    synchronized int most() {
        return most;
    }

    /** How many were open on an average between the first call and the last. */
    synchronized double mean() {
        return (double) callNanos / (lastBeginNanos - firstBeginNanos);
    }

    /** The time that all calls have been open so far, those that still are included. */
    synchronized long callNanos() {
        count();
        return callNanos;
    }

    /** When the last call came. */
    synchronized long lastBeginNanos() {
        return lastBeginNanos;
    }

    /** How many are open on an average, from now on for a while. */
    double meanOver(Duration duration) throws InterruptedException {
        long before = callNanos();
        long beginNanos = System.nanoTime();
        Thread.sleep(duration);
        return (double) (callNanos() - before) / (System.nanoTime() - beginNanos);
    }
}
