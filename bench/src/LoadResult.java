import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * What became of a load, request by request.
 *
 * @param startNanos when each was sent; in an open loop when it should have been, so that a stall counts for all that
 *     it delayed
 * @param answerNanos when each was answered
 * @param statuses the status code of each answer; 0 where the connection broke
 */
record LoadResult(long[] startNanos, long[] answerNanos, int[] statuses) {
    static LoadResult empty(int count) {
        return new LoadResult(new long[count], new long[count], new int[count]);
    }

    /** Without the requests that were not sent. */
    LoadResult first(int count) {
        return new LoadResult(
                Arrays.copyOf(startNanos, count), Arrays.copyOf(answerNanos, count), Arrays.copyOf(statuses, count));
    }

    int count() {
        return statuses.length;
    }

    Percentiles answerTimes() {
        return Percentiles.of(IntStream.range(0, statuses.length).mapToLong(n -> answerNanos[n] - startNanos[n]));
    }

    /** Answered requests per second between the first send and the last answer. */
    double perSecond() {
        long first = IntStream.range(0, statuses.length)
                .mapToLong(n -> startNanos[n])
                .min()
                .orElseThrow();
        long last = IntStream.range(0, statuses.length)
                .mapToLong(n -> answerNanos[n])
                .max()
                .orElseThrow();
        return statuses.length * 1e9 / (last - first);
    }

    /** Stops the scenario when an answer was not the expected one: its figures would mean nothing. */
    LoadResult expecting(int status) {
        Map<Integer, Integer> others = new TreeMap<>();
        for (int actual : statuses) {
            if (actual != status) {
                others.merge(actual, 1, Integer::sum);
            }
        }
        if (!others.isEmpty()) {
            throw new IllegalStateException(
                    "Expected only answers with status " + status + ", but got (status=count) " + others + ".");
        }
        return this;
    }
}
