import java.time.Duration;
import java.util.LongSummaryStatistics;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** What arrived at the receiver for one scenario: when each number came first, and what came again. */
final class Arrivals {
    private static final Duration POLL = Duration.ofMillis(10);

    private final String scenario;
    private final int key;
    private final Numbering numbering;
    private final Duration answerAfter;
    private final long[] firstNanos;
    private final int[] executions;
    private final CountDownLatch missing;
    private final AtomicInteger sameExecution = new AtomicInteger();
    private final AtomicInteger otherExecution = new AtomicInteger();

    Arrivals(String scenario, int key, int count, Numbering numbering, Duration answerAfter) {
        this.scenario = scenario;
        this.key = key;
        this.numbering = numbering;
        this.answerAfter = answerAfter;
        this.firstNanos = new long[count];
        this.executions = new int[count];
        this.missing = new CountDownLatch(count);
    }

    /**
     * Called by the receiver's thread only.
     *
     * @param execution a hash of the execution's id, to tell a second delivery from a second execution
     */
    void record(int n, int execution, long nanos) {
        if (firstNanos[n] == 0) {
            firstNanos[n] = nanos;
            executions[n] = execution;
            missing.countDown();
        } else if (executions[n] == execution) {
            sameExecution.incrementAndGet();
        } else {
            otherExecution.incrementAndGet();
        }
    }

    /** Says that only the first ones were sent. */
    void expectOnly(int sent) {
        for (int n = sent; n < count(); n++) {
            missing.countDown();
        }
    }

    /** Says that what has not come yet was taken away. */
    void expectNoMore() {
        while (missing() > 0) {
            missing.countDown();
        }
    }

    /** Waits until so many numbers have come, and fails after the limit. */
    void awaitSome(int wanted, Duration limit) throws InterruptedException {
        long beginNanos = System.nanoTime();
        while (count() - missing() < wanted) {
            if (System.nanoTime() - beginNanos > limit.toNanos()) {
                throw new IllegalStateException("Only " + (count() - missing()) + " of " + wanted + " came within "
                        + limit.toSeconds() + " s.");
            }
            Thread.sleep(POLL);
        }
    }

    /** Waits until every number has come, or until the limit. */
    boolean awaitAll(Duration limit) throws InterruptedException {
        return missing.await(limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** The name of the scenario that these belong to. */
    String scenario() {
        return scenario;
    }

    /** The path at the receiver that leads here. */
    String path() {
        return "/hit/" + key;
    }

    Numbering numbering() {
        return numbering;
    }

    /** How long the receiver takes to answer each. */
    Duration answerAfter() {
        return answerAfter;
    }

    int count() {
        return firstNanos.length;
    }

    /** How long after given times the numbers came, from one number on; those that did not come are left out. */
    Percentiles after(long[] nanos, int from) {
        return Percentiles.of(IntStream.range(from, nanos.length)
                .filter(n -> firstNanos[n] != 0)
                .mapToLong(n -> firstNanos[n] - nanos[n]));
    }

    /** Arrivals per second between the first and the last; not a number when fewer than two came. */
    double perSecond() {
        LongSummaryStatistics times =
                LongStream.of(firstNanos).filter(nanos -> nanos != 0).summaryStatistics();
        return times.getCount() < 2 ? Double.NaN : times.getCount() * 1e9 / (times.getMax() - times.getMin());
    }

    int missing() {
        return (int) missing.getCount();
    }

    /** How many deliveries repeated one of the same execution. */
    int deliveredAgain() {
        return sameExecution.get();
    }

    /** How many deliveries came from a second execution of the same job. */
    int executedAgain() {
        return otherExecution.get();
    }
}
