import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** How late delayed jobs arrive; none may arrive early. */
final class DelayedScenario implements Scenario {
    private static final Duration LEAD = Duration.ofSeconds(5);
    private static final Duration LIMIT = Duration.ofSeconds(60);

    static final String LATENESS_P99 = "lateness p99";

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        Delivery delivery = session.deliverTo("delayed", session.options().delayedJobs());
        Arrivals arrivals = delivery.arrivals();
        Clocks clocks = Clocks.now();
        Instant[] runAt = IntStream.range(0, arrivals.count())
                .mapToObj(n -> runAt(clocks.wall(), n, session.options().ratePerSecond()))
                .toArray(Instant[]::new);
        delivery.api().createJobs(arrivals.count(), n -> delivery.jobs().delayed(n, runAt[n]));
        session.awaitArrivals(
                arrivals, LIMIT.plusSeconds(arrivals.count() / session.options().ratePerSecond()));
        long[] dueNanos = Stream.of(runAt).mapToLong(clocks::nanosAt).toArray();
        report(session.report(), arrivals.after(dueNanos, 0));
    }

    private static Instant runAt(Instant now, int n, int perSecond) {
        Duration delay = LEAD.plus(Duration.ofSeconds(1).multipliedBy(n).dividedBy(perSecond));
        return now.plus(delay).truncatedTo(ChronoUnit.MILLIS);
    }

    private static void report(Report report, Percentiles lateness) {
        report.add("delayed", "lateness p50", lateness.millis(50), "ms");
        report.add("delayed", LATENESS_P99, lateness.millis(99), "ms");
        report.add("delayed", "lateness max", lateness.maxMillis(), "ms");
        report.addEarly("delayed", lateness.negative());
    }
}
