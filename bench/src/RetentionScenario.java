import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** What new jobs feel of it when years of history are removed beside them. */
final class RetentionScenario implements Scenario {
    private static final int WARM_UP_SECONDS = 15;
    private static final Duration LIMIT = Duration.ofMinutes(40);
    private static final Map<String, String> NOTHING_IS_OLD =
            Map.of("TE_RETENTION_DAYS", "0", "TE_IDEMPOTENCY_KEY_TTL_HOURS", "876000");
    private static final Map<String, String> ALL_IS_OLD = Map.of("TE_RETENTION_DAYS", "30");
    private static final double MIB = 1024.0 * 1024.0;

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        if (session.options().url().isPresent()) {
            System.err.println("retention is left out: it writes into the program's own database.");
            return;
        }
        session.restart(NOTHING_IS_OLD);
        try (ProgramDatabase database = ProgramDatabase.open(session)) {
            var history = new OldHistory(
                    session.database().orElseThrow(),
                    database,
                    session.options().history());
            history.write();
            sizes(session.report(), database, "before");
        }
        session.restart(NOTHING_IS_OLD);
        Percentiles before = send(session, "retention-before", calmSeconds(session), () -> false);

        session.restart(ALL_IS_OLD);
        long beginNanos = System.nanoTime();
        try (ProgramDatabase database = ProgramDatabase.open(session);
                var removed = RemovedRows.watch(session.programs().getFirst())) {
            var history = new OldHistory(
                    session.database().orElseThrow(),
                    database,
                    session.options().history());
            Percentiles during = send(
                    session, "retention", (int) LIMIT.toSeconds(), () -> removed.executions() >= history.removable());
            double seconds = (removed.lastSeenNanos() - beginNanos) / 1e9;
            awaitJobs(session.report(), history, beginNanos);
            Percentiles after = send(session, "retention-after", calmSeconds(session), () -> false);
            report(session.report(), before, during, after);
            session.report().add("retention", "duration", seconds, "s");
            session.report().add("retention", "executions removed", removed.executions() / seconds, "1/s");
            verify(session.report(), history);
            sizes(session.report(), database, "after");
        }
    }

    /** Jobs are removed in batches, where executions have gone with their days. */
    private static void awaitJobs(Report report, OldHistory history, long beginNanos)
            throws InterruptedException, SQLException {
        while (history.hasJobsLeft() && System.nanoTime() - beginNanos < LIMIT.toNanos()) {
            Thread.sleep(1_000);
        }
        report.add("retention", "duration with jobs", (System.nanoTime() - beginNanos) / 1e9, "s");
    }

    private static int calmSeconds(Session session) {
        return WARM_UP_SECONDS + session.options().seconds();
    }

    private static Percentiles send(Session session, String name, int seconds, BooleanSupplier over)
            throws IOException, InterruptedException, SQLException {
        int rate = session.options().ratePerSecond();
        Delivery delivery = session.deliverTo(name, rate * seconds);
        return ImmediateJobs.send(session, List.of(delivery), rate, rate * WARM_UP_SECONDS, over)
                .getFirst();
    }

    private static void report(Report report, Percentiles before, Percentiles during, Percentiles after) {
        report(report, "before,", before);
        report(report, "during,", during);
        report(report, "after,", after);
        report.add("retention", "p99 during / before", during.millis(99) / before.millis(99), "");
        report.add("retention", "p99 during / after", during.millis(99) / after.millis(99), "");
    }

    private static void report(Report report, String when, Percentiles times) {
        report.add("retention", when + " p50", times.millis(50), "ms");
        report.add("retention", when + " p99", times.millis(99), "ms");
        report.add("retention", when + " max", times.maxMillis(), "ms");
    }

    private static void verify(Report report, OldHistory history) throws SQLException {
        long left = history.left();
        if (left > 0) {
            report.problem("retention", left + " rows are left of what is older than it is kept");
        }
        long damaged = history.damaged();
        if (damaged > 0) {
            report.problem("retention", damaged + " jobs that still wait were touched");
        }
    }

    /** With their indexes. Space of what was removed is not given back, but used again. */
    private static void sizes(Report report, ProgramDatabase database, String when) throws SQLException {
        for (String table : List.of("executions", "jobs", "attempts", "idempotency_keys")) {
            long bytes = database.number("SELECT pg_total_relation_size('" + table + "')");
            report.add("retention", table + " " + when, bytes / MIB, "MiB");
        }
    }
}
