import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;

/** How long an immediate job takes from the client's request to its arrival, at a steady rate. */
final class LatencyScenario implements Scenario {
    private static final int CONNECTIONS = 16;
    private static final int WARM_UP_SECONDS = 3;
    private static final Duration GRACE = Duration.ofSeconds(30);

    @Override
    public void run(Session session) throws IOException, InterruptedException {
        int rate = session.options().ratePerSecond();
        int seconds = session.options().seconds() + WARM_UP_SECONDS;
        Delivery delivery = session.deliverTo("latency", rate * seconds);
        Arrivals arrivals = delivery.arrivals();
        RequestBytes request = RequestBytes.post(delivery.service(), "/jobs");
        var load = Load.openLoop(
                arrivals.count(), rate, n -> request.with(delivery.jobs().immediate(n)));
        InetSocketAddress target = delivery.service().address();
        LoadResult result = LoadLoop.run(target, CONNECTIONS, load, GRACE.plusSeconds(seconds))
                .expecting(201);
        session.awaitArrivals(arrivals, GRACE);
        Percentiles times = arrivals.after(result.startNanos(), rate * WARM_UP_SECONDS);
        String at = " at " + rate + "/s";
        Report report = session.report();
        report.addAgainstRaw("latency", "p50" + at, times.millis(50), "ms", RawScenario.ARRIVAL_P50);
        report.addAgainstRaw("latency", "p99" + at, times.millis(99), "ms", RawScenario.ARRIVAL_P99);
        report.add("latency", "max" + at, times.maxMillis(), "ms");
    }
}
