import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * What a transaction costs that stays open: as long as it can see rows that are gone, no vacuum removes them, and
 * whoever looks for what is due passes over them.
 */
final class HorizonScenario implements Scenario {
    private static final String NAME = "horizon";
    private static final int PER_SECOND = 2_000;
    private static final int SECONDS = 30;
    private static final int DRAINS_BETWEEN = 3;
    /** Jobs become due faster than they are delivered, and no two at the same time. */
    private static final Duration BETWEEN = Duration.ofNanos(10_000);

    private static final double MIB = 1024.0 * 1024.0;

    private static final String BEFORE = "before: jobs delivered";
    private static final String HELD = "held: jobs delivered";

    @Override
    public List<Wanted> wanted() {
        return List.of(Wanted.least("drain beside a transaction that stays open, against without", NAME, HELD)
                .against(NAME, BEFORE, 0.8));
    }

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        if (session.options().url().isPresent()) {
            System.err.println("horizon is left out: it opens a transaction in the program's own database.");
            return;
        }
        int jobs = session.options().drainJobs();
        double created = Drain.warmUp(session, "horizon-warm-up", Drain.warmUpJobs(jobs));
        send(session, "warm");
        measure(session, "before", jobs, created);
        Database database = session.database().orElseThrow();
        try (var _ = OpenTransaction.begin(database)) {
            for (int i = 0; i < DRAINS_BETWEEN; i++) {
                var _ = drain(session, "between-" + i, jobs, created);
            }
            measure(session, "held", jobs, created);
        }
        String table = "FROM pg_stat_user_tables WHERE relname = 'exec_live'";
        Report report = session.report();
        report.add(NAME, "rows that could not be removed", database.number("SELECT n_dead_tup " + table), "");
        report.add(NAME, "updates in place", database.number("SELECT n_tup_hot_upd::float8 / n_tup_upd " + table), "");
        report.add(NAME, "table", database.number("SELECT pg_table_size('exec_live')") / MIB, "MiB");
        report.add(NAME, "its indexes", database.number("SELECT pg_indexes_size('exec_live')") / MIB, "MiB");
    }

    private static void measure(Session session, String when, int jobs, double created)
            throws IOException, InterruptedException, SQLException {
        Percentiles times = send(session, when);
        Report report = session.report();
        report.add(NAME, when + ": p50 at " + PER_SECOND + "/s", times.millis(50), "ms");
        report.add(NAME, when + ": p99 at " + PER_SECOND + "/s", times.millis(99), "ms");
        Drain drain = drain(session, when, jobs, created);
        report.add(NAME, when + ": jobs delivered", drain.delivered(), "1/s");
        drain.delivery().ifPresent(activity -> activity.report(report, NAME, when + ", to deliver", jobs));
    }

    private static Drain drain(Session session, String when, int jobs, double created)
            throws IOException, InterruptedException, SQLException {
        return Drain.run(session, session.deliverTo(NAME + "-" + when, jobs), created, BETWEEN);
    }

    private static Percentiles send(Session session, String when)
            throws IOException, InterruptedException, SQLException {
        Delivery delivery = session.deliverTo("horizon-steady-" + when, PER_SECOND * SECONDS);
        return ImmediateJobs.send(session, List.of(delivery), PER_SECOND, PER_SECOND * SECONDS / 3, () -> false)
                .getFirst();
    }
}
