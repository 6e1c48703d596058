import java.util.stream.LongStream;

/** Sorted measurements in nanoseconds. */
record Percentiles(long[] sorted) {
    static Percentiles of(LongStream nanos) {
        return new Percentiles(nanos.sorted().toArray());
    }

    /** The nearest-rank percentile in milliseconds; not a number when nothing was measured. */
    double millis(double percent) {
        if (sorted.length == 0) {
            return Double.NaN;
        }
        int rank = (int) Math.ceil(percent / 100 * sorted.length);
        return sorted[Math.max(rank, 1) - 1] / 1e6;
    }

    double maxMillis() {
        return millis(100);
    }

    /** How many are below zero. */
    long negative() {
        return LongStream.of(sorted).filter(nanos -> nanos < 0).count();
    }
}
