import java.io.IOException;
import java.time.Duration;
import java.util.TreeSet;
import java.util.function.IntFunction;

/** The same HTTP calls straight to the receiver, with nothing durable between: what this machine could do at best. */
final class RawScenario implements Scenario {
    private static final int DRAIN_CONNECTIONS = 50;
    private static final int WARM_UP = 30_000;
    private static final int REQUESTS = 100_000;
    private static final int PACED_CONNECTIONS = 16;
    private static final int PACED_SECONDS = 5;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    static final String DRAIN_RATE = rate(DRAIN_CONNECTIONS);
    static final String ARRIVAL_P50 = "send to arrival p50";
    static final String ARRIVAL_P99 = "send to arrival p99";

    /** The name of the figure that rates with a number of connections are compared with. */
    static String rate(int connections) {
        return "requests, " + connections + " connections";
    }

    static String p50(int connections) {
        return "p50, " + connections + " connections";
    }

    static String p99(int connections) {
        return "p99, " + connections + " connections";
    }

    @Override
    public void run(Session session) throws IOException {
        warmUp(session);
        var counts = new TreeSet<Integer>();
        counts.add(session.options().connections());
        counts.add(DRAIN_CONNECTIONS);
        for (int connections : counts) {
            LoadResult result = closedLoop(session, connections, REQUESTS);
            session.report().add("raw", rate(connections), result.perSecond(), "1/s");
            session.report().add("raw", p50(connections), result.answerTimes().millis(50), "ms");
            session.report().add("raw", p99(connections), result.answerTimes().millis(99), "ms");
        }
        paced(session);
    }

    /** Gives the compiler of the receiver something to do before anything is measured. */
    static void warmUp(Session session) throws IOException {
        var _ = closedLoop(session, DRAIN_CONNECTIONS, WARM_UP);
    }

    /** The rate that drain is compared with, measured now. */
    static double drainRate(Session session) throws IOException {
        return closedLoop(session, DRAIN_CONNECTIONS, REQUESTS).perSecond();
    }

    private static LoadResult closedLoop(Session session, int connections, int count) throws IOException {
        Arrivals arrivals = session.receiver().expect("raw", count);
        return run(session, connections, Load.closedLoop(count, requests(session, arrivals)));
    }

    private static void paced(Session session) throws IOException {
        int rate = session.options().ratePerSecond();
        Arrivals arrivals = session.receiver().expect("raw", rate * PACED_SECONDS);
        var load = Load.openLoop(arrivals.count(), rate, requests(session, arrivals));
        LoadResult result = run(session, PACED_CONNECTIONS, load);
        Percentiles times = arrivals.after(result.startNanos(), 0);
        session.report().add("raw", ARRIVAL_P50, times.millis(50), "ms");
        session.report().add("raw", ARRIVAL_P99, times.millis(99), "ms");
    }

    private static LoadResult run(Session session, int connections, Load load) throws IOException {
        return LoadLoop.run(session.receiver().address(), connections, load, LIMIT)
                .expecting(200);
    }

    private static IntFunction<byte[]> requests(Session session, Arrivals arrivals) {
        String host = "127.0.0.1:" + session.receiver().address().getPort();
        RequestBytes request = RequestBytes.post(host, arrivals.path(), "");
        return n -> request.with("{\"n\":" + n + "}");
    }
}
