import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** How fast a queue that is full at one moment is delivered, each job exactly once. */
final class DrainScenario implements Scenario {
    private static final Duration LEAD_LEAST = Duration.ofSeconds(5);

    /** Slower than any batch should be created, so that all jobs are queued when the first comes due. */
    private static final int CREATED_PER_SECOND_LEAST = 2_000;

    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final int CHECKED_EXECUTIONS = 20;

    @Override
    public void run(Session session) throws IOException, InterruptedException {
        Delivery delivery = session.deliverTo("drain", session.options().jobs());
        Arrivals arrivals = delivery.arrivals();
        Duration lead = LEAD_LEAST.plusSeconds(arrivals.count() / CREATED_PER_SECOND_LEAST);
        Instant runAt = Instant.now().plus(lead).truncatedTo(ChronoUnit.MILLIS);
        Report report = session.report();
        List<String> executions = createJobs(report, delivery, runAt);
        if (Instant.now().isAfter(runAt)) {
            report.problem("drain", "the first jobs were due before the last were created; the rate is too low");
        }
        session.awaitArrivals(arrivals, lead.plus(LIMIT));
        report.addAgainstRaw("drain", "jobs delivered", arrivals.perSecond(), "1/s", RawScenario.DRAIN_RATE);
        checkRecorded(report, delivery.api(), executions);
    }

    private static List<String> createJobs(Report report, Delivery delivery, Instant runAt)
            throws IOException, InterruptedException {
        int count = delivery.arrivals().count();
        long beginNanos = System.nanoTime();
        List<String> executions =
                delivery.api().createJobs(count, n -> delivery.jobs().delayed(n, runAt));
        double seconds = (System.nanoTime() - beginNanos) / 1e9;
        report.add("drain", "jobs created in batches of 1000", count / seconds, "1/s");
        return executions;
    }

    /** What arrived must also be recorded: looks at some executions from the whole range. */
    private static void checkRecorded(Report report, ApiClient api, List<String> executions)
            throws IOException, InterruptedException {
        int step = Math.max(1, executions.size() / CHECKED_EXECUTIONS);
        for (int i = 0; i < executions.size(); i += step) {
            String status = api.executionStatus(executions.get(i));
            if (!status.equals("SUCCESS")) {
                report.problem("drain", executions.get(i) + " arrived, but its status is " + status);
            }
        }
    }
}
