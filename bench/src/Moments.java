import java.time.Duration;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Sorted moments in nanoseconds, all on one clock. */
record Moments(long[] sorted) {
    static Moments of(LongStream nanos) {
        return new Moments(nanos.sorted().toArray());
    }

    int count() {
        return sorted.length;
    }

    long first() {
        return sorted[0];
    }

    long last() {
        return sorted[sorted.length - 1];
    }

    /** The most of them that lie in any window of this length, wherever it begins; its end does not belong to it. */
    int mostWithin(Duration window) {
        int most = 0;
        int from = 0;
        for (int to = 0; to < sorted.length; to++) {
            while (sorted[to] - sorted[from] >= window.toNanos()) {
                from++;
            }
            most = Math.max(most, to - from + 1);
        }
        return most;
    }

    double longestGapMillis() {
        return IntStream.range(1, count())
                        .mapToLong(i -> sorted[i] - sorted[i - 1])
                        .max()
                        .orElse(0)
                / 1e6;
    }

    /** How many lie before a moment. */
    long before(long nanos) {
        return LongStream.of(sorted).takeWhile(moment -> moment < nanos).count();
    }

    /** How many there are per second from the first to the last, without so many that came with the first. */
    double perSecondWithout(int burst) {
        return (count() - burst) * 1e9 / (last() - first());
    }
}
