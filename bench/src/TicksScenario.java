import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** How late the ticks of many schedules are that fire all the time, and whether each fires exactly once. */
final class TicksScenario implements Scenario {
    private static final Duration LEAD_LEAST = Duration.ofSeconds(5);

    /** Slower than schedules should be created, so that all are there when the first comes due. */
    private static final int CREATED_PER_SECOND_LEAST = 200;

    private static final Duration GRACE = Duration.ofSeconds(60);

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        int schedules = session.options().schedules();
        Duration duration = Duration.ofSeconds(session.options().tickSeconds());
        Duration lead = LEAD_LEAST.plusSeconds(schedules / CREATED_PER_SECOND_LEAST);
        Clocks clocks = Clocks.now();
        Instant begin = clocks.wall().plus(lead).truncatedTo(ChronoUnit.MILLIS);
        PlannedTicks ticks = PlannedTicks.of(schedules, begin, duration);
        Delivery delivery = session.deliverTo("ticks", ticks.count(), ticks);
        List<String> jobs = delivery.api()
                .createSchedules(schedules, n -> ticks.schedules().get(n).json(n, delivery.jobs()));
        Report report = session.report();
        if (Instant.now().isAfter(begin)) {
            report.problem("ticks", "the first ticks were due before the last schedules were created");
        }
        session.awaitArrivals(delivery.arrivals(), lead.plus(duration).plus(GRACE));
        Ledgers ledgers = Ledgers.read(delivery.api(), jobs);
        add(report, "lateness in the ledger", ledgers.lateness());
        Percentiles arrivals = delivery.arrivals().after(ticks.dueNanos(clocks), 0);
        add(report, "tick to arrival", arrivals);
        ledgers.addTo(report, "ticks", ticks.count());
        report.addEarly("ticks", arrivals.negative());
    }

    private static void add(Report report, String what, Percentiles times) {
        report.add("ticks", what + " p50", times.millis(50), "ms");
        report.add("ticks", what + " p99", times.millis(99), "ms");
        report.add("ticks", what + " max", times.maxMillis(), "ms");
    }
}
