import java.io.IOException;
import java.sql.SQLException;
import java.util.List;

/** How long an immediate job takes from the client's request to its arrival, at a steady rate. */
final class LatencyScenario implements Scenario {
    /** The compiler comes to rest in this time. */
    private static int warmUpSeconds(Options options) {
        return options.seconds() * 3 / 2;
    }

    /** The names of the figures. */
    static String p50(Options options) {
        return "p50" + at(options);
    }

    static String p99(Options options) {
        return "p99" + at(options);
    }

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        measure(session, "latency");
    }

    /** Measures the program as it runs now. */
    static void measure(Session session, String scenario) throws IOException, InterruptedException, SQLException {
        int rate = session.options().ratePerSecond();
        int warmUp = rate * warmUpSeconds(session.options());
        Delivery delivery =
                session.deliverTo(scenario, warmUp + rate * session.options().seconds());
        Percentiles times = ImmediateJobs.send(session, List.of(delivery), rate, warmUp, () -> false)
                .getFirst();
        Report report = session.report();
        report.addAgainstRaw(scenario, p50(session.options()), times.millis(50), "ms", RawScenario.ARRIVAL_P50);
        report.addAgainstRaw(scenario, p99(session.options()), times.millis(99), "ms", RawScenario.ARRIVAL_P99);
        report.add(scenario, "max" + at(session.options()), times.maxMillis(), "ms");
    }

    private static String at(Options options) {
        return " at " + options.ratePerSecond() + "/s";
    }
}
