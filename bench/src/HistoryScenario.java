import java.io.IOException;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.stream.LongStream;

/**
 * Whether a long history slows the drain and the look at one execution down: the same before and after it was made. Then
 * how long it takes to drop the oldest day of it.
 */
final class HistoryScenario implements Scenario {
    static final String BEFORE = "jobs delivered";
    static final String AFTER = "jobs delivered with a long history";

    /** Less than history is kept. */
    private static final int DAYS = 29;

    private static final int LOOKS = 2_000;

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        if (session.options().url().isPresent()) {
            System.err.println("history is left out: the program was not started here.");
            return;
        }
        int jobs = session.options().drainJobs() / 2;
        int finished = session.options().finished();
        double created = Drain.warmUp(session, "history-warm-up", Drain.warmUpJobs(jobs));
        Drain before = Drain.run(session, "history-before", jobs, created);
        Database database = session.database().orElseThrow();
        Delivery delivery = session.deliverTo("history", 0);
        String job = example(delivery, database);
        look(session, "look at an execution", delivery);
        HistoryDays.make(database, 1, DAYS);
        StoredJobs.addFinished(database, job, finished, DAYS);
        // What happens by itself in the course of days would happen within the measurement otherwise.
        database.execute("VACUUM ANALYZE jobs");
        database.execute("VACUUM ANALYZE executions");
        Drain after = Drain.run(session, "history-after", jobs, created);
        look(session, "look at an execution with a long history", delivery);
        session.report().add("history", BEFORE, before.delivered(), "1/s");
        session.report().add("history", AFTER, after.delivered(), "1/s");
        double drop = HistoryDays.drop(database, DAYS);
        session.report().add("history", "executions of a day", finished / DAYS, "");
        if (!Double.isNaN(drop)) {
            session.report().add("history", "drop of a day", drop, "ms");
        }
    }

    /** One after the other, at places all over the table. */
    private static void look(Session session, String what, Delivery delivery)
            throws IOException, InterruptedException, SQLException {
        Database database = session.database().orElseThrow();
        double there = database.number("SELECT count(*) FROM executions");
        String ids = database.text("""
                SELECT string_agg('exec_' || replace(execution_id::text, '-', ''), ' ' ORDER BY random())
                FROM (SELECT execution_id FROM executions TABLESAMPLE SYSTEM (%s)) AS few
                """.formatted(Math.min(100, 100.0 * LOOKS / there)));
        var times = LongStream.builder();
        for (String id : ids.split(" ")) {
            long begin = System.nanoTime();
            delivery.api().readExecution(id);
            times.add(System.nanoTime() - begin);
        }
        Percentiles found = Percentiles.of(times.build());
        session.report().add("history", what + ", p50", found.millis(50), "ms");
        session.report().add("history", what + ", p99", found.millis(99), "ms");
    }

    /** A job of this delivery, for others to be like. */
    static String example(Delivery delivery, Database database) throws IOException, InterruptedException, SQLException {
        Instant later = Instant.now().plus(30, ChronoUnit.DAYS).truncatedTo(ChronoUnit.MILLIS);
        delivery.api().createJobs(1, n -> delivery.jobs().delayed(n, later));
        return database.text(
                "SELECT job_id FROM jobs WHERE endpoint = '" + delivery.jobs().endpoint() + "'");
    }
}
