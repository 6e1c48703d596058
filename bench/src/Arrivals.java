import java.time.Duration;
import java.util.LongSummaryStatistics;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** What arrived at the receiver for one scenario: when each number came first, and what came again. */
final class Arrivals {
    private static final Duration POLL = Duration.ofMillis(10);

    private final String scenario;
    private final int key;
    private final Numbering numbering;
    private final Reception reception;
    private final long[] firstNanos;
    private final int[] executions;
    private final CountDownLatch missing;
    private final AtomicInteger sameExecution = new AtomicInteger();
    private final AtomicInteger otherExecution = new AtomicInteger();
    private volatile int mayComeAgain;

    Arrivals(String scenario, int key, int count, Numbering numbering, Reception reception) {
        this.scenario = scenario;
        this.key = key;
        this.numbering = numbering;
        this.reception = reception;
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

    /** Says how many deliveries may repeat one of the same execution: retries, and what killed workers had begun. */
    void mayComeAgain(int most) {
        mayComeAgain = most;
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

    /** Waits until all numbers of a range have come, or until the limit. */
    boolean awaitRange(int from, int to, Duration limit) throws InterruptedException {
        long beginNanos = System.nanoTime();
        while (moments(from, to).count() < to - from) {
            if (System.nanoTime() - beginNanos > limit.toNanos()) {
                return false;
            }
            Thread.sleep(POLL);
        }
        return true;
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

    /** What the receiver does with each. */
    Reception reception() {
        return reception;
    }

    int count() {
        return firstNanos.length;
    }

    /** How long after given times the numbers came, from one number on; those that did not come are left out. */
    Percentiles after(long[] nanos, int from) {
        return afterEach(nanos, n -> n >= from);
    }

    /** The same for some numbers. */
    Percentiles afterEach(long[] nanos, IntPredicate counts) {
        return Percentiles.of(IntStream.range(0, nanos.length)
                .filter(n -> counts.test(n) && firstNanos[n] != 0)
                .mapToLong(n -> firstNanos[n] - nanos[n]));
    }

    /** Arrivals per second between the first and the last; not a number when fewer than two came. */
    double perSecond() {
        LongSummaryStatistics times =
                LongStream.of(firstNanos).filter(nanos -> nanos != 0).summaryStatistics();
        return times.getCount() < 2 ? Double.NaN : times.getCount() * 1e9 / (times.getMax() - times.getMin());
    }

    /** When the numbers of a range first came; those that did not come are left out. */
    Moments moments(int from, int to) {
        // Also has what the receiver's thread has written be seen.
        if (missing() == count()) {
            return new Moments(new long[0]);
        }
        return Moments.of(
                IntStream.range(from, to).mapToLong(n -> firstNanos[n]).filter(nanos -> nanos != 0));
    }

    /** When all numbers first came. */
    Moments moments() {
        return moments(0, count());
    }

    /** How many numbers came after a higher one of the same key, where n has the key n modulo keys. */
    long outOfOrder(int keys) {
        return IntStream.range(keys, count())
                .filter(n -> firstNanos[n] <= firstNanos[n - keys])
                .count();
    }

    int missing() {
        return (int) missing.getCount();
    }

    /** How many deliveries repeated one of the same execution. */
    int deliveredAgain() {
        return sameExecution.get();
    }

    /** How many of those must not have come. */
    int wronglyDeliveredAgain() {
        return Math.max(0, deliveredAgain() - mayComeAgain);
    }

    /** How many deliveries came from a second execution of the same job. */
    int executedAgain() {
        return otherExecution.get();
    }
}
