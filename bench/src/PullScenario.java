import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.IntStream;

/**
 * How fast one pull worker of the Java client runs tasks that do nothing and tasks that wait, and how soon a handler
 * begins. The worker lives in the load generator, as the receiver of deliveries does.
 */
final class PullScenario implements Scenario {
    private static final String NAME = "pull";
    private static final int WARM_UPS = 2;
    private static final int JOBS = 50_000;
    private static final int SLOTS = 500;
    private static final int WAITING_JOBS = 20_000;
    private static final int WAITING_SLOTS = 200;
    private static final Duration WAIT = Duration.ofMillis(50);
    private static final int PER_SECOND = 200;
    private static final int WARM_UP_PER_SECOND = 1_000;
    private static final int WARM_UP_SECONDS = 30;
    private static final int SECONDS = 20;
    private static final int CONNECTIONS = 16;

    /** All jobs are there before the first one is due. */
    private static final Duration LEAD = Duration.ofSeconds(8);

    private static final Duration LIMIT = Duration.ofMinutes(1);

    private static final String DRAINED = "tasks that do nothing";
    private static final String WAITED = "tasks of 50 ms, 200 at once";
    private static final String LATENCY_P50 = "POST to handler, p50 at " + PER_SECOND + "/s";
    private static final String LATENCY_P99 = "POST to handler, p99 at " + PER_SECOND + "/s";

    @Override
    public List<Wanted> wanted() {
        double ideal = WAITING_SLOTS * 1e9 / WAIT.toNanos();
        return List.of(
                Wanted.least("tasks that do nothing at one pull worker, against deliveries", NAME, DRAINED)
                        .against("drain", DrainScenario.DELIVERED, 0.5),
                Wanted.least("tasks of 50 ms at a pull worker with 200 slots; 4,000/s are ideal", NAME, WAITED)
                        .bound(0.9 * ideal),
                Wanted.most("POST to handler of a pull worker, p99 at " + PER_SECOND + "/s", NAME, LATENCY_P99, 15));
    }

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        Report report = session.report();
        for (int i = 0; i < WARM_UPS; i++) {
            double _ = drain(session, NAME + "-warm-up-" + i, JOBS, SLOTS, Duration.ZERO);
        }
        report.add(NAME, DRAINED, drain(session, NAME + "-drain", JOBS, SLOTS, Duration.ZERO), "1/s");
        report.add(NAME, WAITED, drain(session, NAME + "-wait", WAITING_JOBS, WAITING_SLOTS, WAIT), "1/s");
        // A job that comes alone is other work than one of many, and at 200/s it takes minutes to be compiled.
        var _ = latency(session, NAME + "-warm-up", WARM_UP_PER_SECOND, WARM_UP_SECONDS);
        Percentiles times = latency(session, NAME + "-latency", PER_SECOND, SECONDS);
        report.add(NAME, LATENCY_P50, times.millis(50), "ms");
        report.add(NAME, LATENCY_P99, times.millis(99), "ms");
    }

    /** Has a worker run jobs that are all due at one moment; returns how many ended in a second. */
    private static double drain(Session session, String name, int count, int slots, Duration wait)
            throws IOException, InterruptedException, SQLException {
        settle(session);
        try (var worker = PullWorker.start(session.service(), "bench-" + name, count, slots, wait)) {
            Instant runAt = Instant.now().plus(LEAD).truncatedTo(ChronoUnit.MILLIS);
            var jobs = new JobJson(worker.endpoint());
            var _ = new ApiClient(session.service()).createJobs(count, n -> jobs.delayed(n, runAt));
            if (Instant.now().isAfter(runAt)) {
                session.report().problem(name, "the first jobs were due before the last were created");
            }
            worker.awaitAll(LIMIT);
            worker.verify(session.report(), name);
            return count * 1e9 / (worker.ends().last() - worker.starts().first());
        }
    }

    /** What the jobs before have left to do for the database is not measured, as with deliveries. */
    private static void settle(Session session) throws IOException, InterruptedException, SQLException {
        var _ = session.service();
        if (session.database().isPresent()) {
            session.server().settle(session.database().get());
        }
    }

    /** From the moment at which each job should have been sent to the start of its handler. */
    private static Percentiles latency(Session session, String name, int perSecond, int seconds)
            throws IOException, InterruptedException, SQLException {
        int count = perSecond * seconds;
        settle(session);
        try (var worker = PullWorker.start(session.service(), "bench-" + name, count, SLOTS, Duration.ZERO)) {
            var jobs = new JobJson(worker.endpoint());
            RequestBytes request = RequestBytes.post(session.service(), "/jobs");
            Load load = Load.openLoop(count, perSecond, n -> request.with(jobs.immediate(n)));
            LoadResult sent = LoadLoop.run(session.service().address(), CONNECTIONS, load, LIMIT)
                    .expecting(201);
            worker.awaitAll(LIMIT);
            worker.verify(session.report(), name);
            return Percentiles.of(IntStream.range(0, count).mapToLong(n -> worker.start(n) - sent.startNanos()[n]));
        }
    }
}
