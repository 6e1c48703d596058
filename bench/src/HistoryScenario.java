import java.io.IOException;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Whether a long history slows the drain down: the same drain before and after it was made. */
final class HistoryScenario implements Scenario {
    static final String BEFORE = "jobs delivered";
    static final String AFTER = "jobs delivered with a long history";

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        if (session.options().url().isPresent()) {
            System.err.println("history is left out: the program was not started here.");
            return;
        }
        int jobs = session.options().drainJobs() / 2;
        int finished = session.options().finished();
        double created = Drain.warmUp(session, "history-warm-up", jobs / 2);
        Drain before = Drain.run(session, "history-before", jobs, created);
        Database database = session.database().orElseThrow();
        StoredJobs.addFinished(database, example(session.deliverTo("history", 0), database), finished);
        // What happens by itself in the course of days would happen within the measurement otherwise.
        database.execute("VACUUM ANALYZE jobs");
        database.execute("VACUUM ANALYZE executions");
        Drain after = Drain.run(session, "history-after", jobs, created);
        session.report().add("history", BEFORE, before.delivered(), "1/s");
        session.report().add("history", AFTER, after.delivered(), "1/s");
    }

    /** A job of this delivery, for others to be like. */
    static String example(Delivery delivery, Database database) throws IOException, InterruptedException, SQLException {
        Instant later = Instant.now().plus(1, ChronoUnit.HOURS).truncatedTo(ChronoUnit.MILLIS);
        delivery.api().createJobs(1, n -> delivery.jobs().delayed(n, later));
        return database.text(
                "SELECT job_id FROM jobs WHERE endpoint = '" + delivery.jobs().endpoint() + "'");
    }
}
