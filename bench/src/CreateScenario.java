import java.io.IOException;
import java.net.InetSocketAddress;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** How many jobs per second the API accepts one by one, with the worker out of the way. */
final class CreateScenario implements Scenario {
    /** As many as the inserts of db-scheduler have, for the compiler to be done, which takes some ten seconds. */
    static int warmUpJobs(int jobs) {
        return 6 * jobs;
    }

    private static final Duration LIMIT = Duration.ofMinutes(5);

    /** Far enough that none comes due before the end of the longest run. */
    private static final Duration RUN_AFTER = Duration.ofDays(30);

    /** The name of the figure. */
    static String jobs(Options options) {
        return "jobs" + with(options);
    }

    static String p99(Options options) {
        return "p99" + with(options);
    }

    private static String with(Options options) {
        return ", " + options.connections() + " connections";
    }

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        int connections = session.options().connections();
        int jobs = session.options().jobs();
        create(session, "create-warm-up", warmUpJobs(jobs));
        LoadResult result = create(session, "create", jobs);
        Percentiles times = result.answerTimes();
        String with = with(session.options());
        Report report = session.report();
        report.addAgainstRaw(
                "create", jobs(session.options()), result.perSecond(), "1/s", RawScenario.rate(connections));
        report.addAgainstRaw("create", "p50" + with, times.millis(50), "ms", RawScenario.p50(connections));
        report.addAgainstRaw("create", p99(session.options()), times.millis(99), "ms", RawScenario.p99(connections));
    }

    static LoadResult create(Session session, String name, int count)
            throws IOException, InterruptedException, SQLException {
        // Nothing is expected to arrive: a job that ran before its time shows as a stray.
        Delivery delivery = session.deliverTo(name, 0);
        Instant runAt = Instant.now().plus(RUN_AFTER).truncatedTo(ChronoUnit.MILLIS);
        RequestBytes request = RequestBytes.post(delivery.service(), "/jobs");
        var load = Load.closedLoop(count, n -> request.with(delivery.jobs().delayed(n, runAt)));
        InetSocketAddress target = delivery.service().address();
        return LoadLoop.run(target, session.options().connections(), load, LIMIT)
                .expecting(201);
    }
}
