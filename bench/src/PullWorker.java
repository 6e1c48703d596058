import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.client.Taskexec;
import io.taskexec.client.worker.Worker;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;

/** A worker of the Java client that notes when each of its numbered tasks began and ended. */
final class PullWorker implements AutoCloseable {
    private final String endpoint;
    private final AtomicLongArray starts;
    private final AtomicLongArray ends;
    private final AtomicInteger again = new AtomicInteger();
    private final CountDownLatch left;
    private final Worker worker;

    private PullWorker(Service service, String endpoint, int count, int slots, Duration wait) {
        this.endpoint = endpoint;
        this.starts = new AtomicLongArray(count);
        this.ends = new AtomicLongArray(count);
        this.left = new CountDownLatch(count);
        this.worker = Worker.of(Taskexec.connect("http://" + service.host(), service.apiKey()))
                .concurrency(slots)
                .handle(
                        endpoint,
                        JsonNode.class,
                        (input, _) -> run(input.path("n").asInt(), wait),
                        _ -> {})
                .start();
    }

    /** Registers the endpoint and begins to ask; each task waits so long. */
    static PullWorker start(Service service, String endpoint, int count, int slots, Duration wait) {
        return new PullWorker(service, endpoint, count, slots, wait);
    }

    private Object run(int n, Duration wait) throws InterruptedException {
        if (!starts.compareAndSet(n, 0, System.nanoTime())) {
            again.incrementAndGet();
            return n;
        }
        if (wait.isPositive()) {
            Thread.sleep(wait);
        }
        ends.set(n, System.nanoTime());
        left.countDown();
        return n;
    }

    String endpoint() {
        return endpoint;
    }

    /** Waits for all tasks and a little longer. */
    void awaitAll(Duration limit) throws InterruptedException {
        if (left.await(limit.toMillis(), TimeUnit.MILLISECONDS)) {
            Thread.sleep(Session.WATCH_FOR_DUPLICATES);
        }
    }

    /** A task that did not run, or ran twice, is a problem. */
    void verify(Report report, String scenario) {
        if (left.getCount() > 0 || again.get() > 0) {
            report.problem(scenario, left.getCount() + " tasks did not run, " + again + " ran again");
        }
    }

    long start(int n) {
        return starts.get(n);
    }

    Moments starts() {
        return moments(starts);
    }

    Moments ends() {
        return moments(ends);
    }

    private static Moments moments(AtomicLongArray nanos) {
        return Moments.of(
                IntStream.range(0, nanos.length()).mapToLong(nanos::get).filter(at -> at != 0));
    }

    @Override
    public void close() {
        worker.close();
    }
}
