package io.taskexec.forecast;

/**
 * Spreads starts evenly over the jitter of their schedule. However long that is, a start costs the same: the minutes
 * that it fills are noted at their two ends.
 */
final class Jitter implements Starts {
    private final int minutes;
    private final long millis;
    private final double[] parts;
    private final double[] changes;

    /** @param millis the longest delay */
    Jitter(int minutes, long millis) {
        this.minutes = minutes;
        this.millis = millis;
        this.parts = new double[minutes + 1];
        this.changes = new double[minutes + 1];
    }

    @Override
    public void add(long at, double count) {
        var end = at + millis;
        var first = Horizon.minute(at);
        var last = Math.min(minutes, Horizon.minute(end));
        if (first == last) {
            parts[first] += count;
            return;
        }
        var perMilli = count / millis;
        parts[first] += perMilli * ((first + 1) * Horizon.MINUTE_MS - at);
        changes[first + 1] += perMilli * Horizon.MINUTE_MS;
        changes[last] -= perMilli * Horizon.MINUTE_MS;
        parts[last] += perMilli * Math.min(Horizon.MINUTE_MS, end - last * Horizon.MINUTE_MS);
    }

    /** Passes on what was added. */
    void flush(Starts next) {
        var full = 0.0;
        for (var minute = 0; minute < minutes; minute++) {
            full += changes[minute];
            var count = full + parts[minute];
            if (count > 0) {
                next.add(minute * Horizon.MINUTE_MS, count);
            }
        }
    }
}
