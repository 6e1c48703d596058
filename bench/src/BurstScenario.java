import java.io.IOException;
import java.net.InetSocketAddress;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** How long it takes until many schedules that come due at one moment have fired, and what immediate jobs feel of it. */
final class BurstScenario implements Scenario {
    private static final int WARM_UP_MAX = 2_000;

    /** Slower than schedules should be created, so that all are there when they come due. */
    private static final int CREATED_PER_SECOND_LEAST = 500;

    /** Before the moment; the immediate jobs begin then. */
    private static final Duration LEAD = Duration.ofSeconds(5);

    private static final Duration EVERY = Duration.ofHours(24);
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final int IMMEDIATE_PER_SECOND = 50;
    private static final int IMMEDIATE_LEAD = IMMEDIATE_PER_SECOND * (int) LEAD.toSeconds();
    private static final int CALM_SECONDS = 15;
    private static final int SAMPLED_SCHEDULES = 1_000;
    private static final int CANCELLING_CONNECTIONS = 16;

    private static final String ALL_FIRED = "all fired after";
    private static final String SAME_QUEUE = "same queue, burst,";
    private static final String OTHER_QUEUE = "other queue, burst,";

    /** Schedules that come due at one moment. */
    private record Burst(Delivery delivery, Clocks clocks, Instant moment, List<String> jobs) {
        long[] dueNanos() {
            long[] due = new long[jobs.size()];
            Arrays.fill(due, clocks.nanosAt(moment));
            return due;
        }
    }

    @Override
    public List<Wanted> wanted() {
        return List.of(
                Wanted.most("schedules that are due at once, the last one fired after", "burst", ALL_FIRED, 5_000),
                Wanted.most("jobs beside them in the same queue, p99", "burst", SAME_QUEUE + " p99", 30),
                Wanted.most("jobs beside them in another queue, p99", "burst", OTHER_QUEUE + " p99", 30));
    }

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        int schedules = session.options().jobs();
        Burst warmUp = create(session, "burst-warm", Math.min(schedules, WARM_UP_MAX));
        var _ = warmUp.delivery().arrivals().awaitAll(LIMIT);
        cancel(warmUp);
        List<Delivery> calmWays = ways(session, "burst-calm", LEAD.plusSeconds(CALM_SECONDS));
        List<Percentiles> calm =
                ImmediateJobs.send(session, calmWays, IMMEDIATE_PER_SECOND, IMMEDIATE_LEAD, () -> false);
        List<Delivery> ways = ways(session, "burst-jobs", LEAD.plus(LIMIT));
        long beginNanos = System.nanoTime();
        Burst burst = create(session, "burst", schedules);
        Report report = session.report();
        report.add("burst", "schedules created", schedules * 1e9 / (System.nanoTime() - beginNanos), "1/s");
        try {
            List<Percentiles> beside = sendBeside(session, burst, ways);
            session.awaitArrivals(burst.delivery().arrivals(), LIMIT);
            reportBurst(report, burst);
            report(report, SAME_QUEUE, beside.getFirst());
            report(report, "same queue, no burst,", calm.getFirst());
            report(report, OTHER_QUEUE, beside.getLast());
            report(report, "other queue, no burst,", calm.getLast());
        } finally {
            cancel(burst);
        }
    }

    private static Burst create(Session session, String name, int count)
            throws IOException, InterruptedException, SQLException {
        Delivery delivery = session.deliverTo(name, count);
        Clocks clocks = Clocks.now();
        Instant moment = clocks.wall()
                .plus(LEAD.multipliedBy(2))
                .plusSeconds(count / CREATED_PER_SECOND_LEAST)
                .truncatedTo(ChronoUnit.MILLIS);
        List<String> jobs =
                delivery.api().createSchedules(count, n -> delivery.jobs().interval(n, EVERY, moment));
        if (Instant.now().isAfter(moment.minus(LEAD))) {
            session.report().problem(name, "the schedules were due before the last were created");
        }
        return new Burst(delivery, clocks, moment, jobs);
    }

    /** Immediate jobs in the queue of the burst, and in another one. */
    private static List<Delivery> ways(Session session, String name, Duration duration)
            throws IOException, InterruptedException, SQLException {
        int count = IMMEDIATE_PER_SECOND * (int) duration.toSeconds();
        return List.of(session.deliverTo(name, count), session.deliverThrough("bench", name + "-other", count));
    }

    private static List<Percentiles> sendBeside(Session session, Burst burst, List<Delivery> ways)
            throws IOException, InterruptedException, SQLException {
        Duration wait = Duration.between(Instant.now(), burst.moment().minus(LEAD));
        Thread.sleep(wait.isNegative() ? Duration.ZERO : wait);
        Arrivals arrivals = burst.delivery().arrivals();
        return ImmediateJobs.send(session, ways, IMMEDIATE_PER_SECOND, IMMEDIATE_LEAD, () -> arrivals.missing() == 0);
    }

    private static void reportBurst(Report report, Burst burst) throws IOException, InterruptedException, SQLException {
        int step = Math.max(1, burst.jobs().size() / SAMPLED_SCHEDULES);
        List<String> sample = IntStream.iterate(0, i -> i < burst.jobs().size(), i -> i + step)
                .mapToObj(burst.jobs()::get)
                .toList();
        Ledgers ledgers = Ledgers.read(burst.delivery().api(), sample);
        Percentiles arrivals = burst.delivery().arrivals().after(burst.dueNanos(), 0);
        report.add("burst", ALL_FIRED, ledgers.lateness().maxMillis(), "ms");
        report.add("burst", "half delivered after", arrivals.millis(50), "ms");
        report.add("burst", "all delivered after", arrivals.maxMillis(), "ms");
        ledgers.addTo(report, "burst", sample.size());
        report.addEarly("burst", arrivals.negative());
    }

    private static void report(Report report, String what, Percentiles times) {
        report.add("burst", what + " p50", times.millis(50), "ms");
        report.add("burst", what + " p99", times.millis(99), "ms");
        report.add("burst", what + " max", times.maxMillis(), "ms");
    }

    /** So that a program that goes on running is not left with them. */
    private static void cancel(Burst burst) throws IOException {
        Service service = burst.delivery().service();
        InetSocketAddress target = service.address();
        var load = Load.closedLoop(
                burst.jobs().size(),
                n -> RequestBytes.post(service, "/jobs/" + burst.jobs().get(n) + "/cancel")
                        .with(""));
        var _ = LoadLoop.run(target, CANCELLING_CONNECTIONS, load, LIMIT).expecting(200);
    }
}
