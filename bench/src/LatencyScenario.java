import java.io.IOException;
import java.sql.SQLException;
import java.util.List;

/** How long an immediate job takes from the client's request to its arrival, at a steady rate. */
final class LatencyScenario implements Scenario {
    private static final int WARM_UP_SECONDS = 3;

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        int rate = session.options().ratePerSecond();
        int seconds = session.options().seconds() + WARM_UP_SECONDS;
        Delivery delivery = session.deliverTo("latency", rate * seconds);
        Percentiles times = ImmediateJobs.send(session, List.of(delivery), rate, rate * WARM_UP_SECONDS, () -> false)
                .getFirst();
        String at = " at " + rate + "/s";
        Report report = session.report();
        report.addAgainstRaw("latency", "p50" + at, times.millis(50), "ms", RawScenario.ARRIVAL_P50);
        report.addAgainstRaw("latency", "p99" + at, times.millis(99), "ms", RawScenario.ARRIVAL_P99);
        report.add("latency", "max" + at, times.maxMillis(), "ms");
    }
}
