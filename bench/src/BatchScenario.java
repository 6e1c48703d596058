import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** How many jobs per second the API accepts in batches, with the worker out of the way. */
final class BatchScenario implements Scenario {
    private static final int JOBS = 200_000;
    private static final Duration RUN_AFTER = Duration.ofDays(30);

    static final String CREATED = "jobs in batches of " + Batches.SIZE + ", " + Batches.CONNECTIONS + " connections";

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        int jobs = Math.min(JOBS, 5 * session.options().jobs());
        create(session, "batch-warm-up", 2 * jobs);
        session.report().add("batch", CREATED, create(session, "batch", jobs), "1/s");
    }

    private static double create(Session session, String name, int jobs)
            throws IOException, InterruptedException, SQLException {
        Delivery delivery = session.deliverTo(name, 0);
        Instant runAt = Instant.now().plus(RUN_AFTER).truncatedTo(ChronoUnit.MILLIS);
        double before = stored(session);
        LoadResult result = Batches.create(
                delivery.service(),
                jobs / Batches.SIZE * Batches.SIZE,
                n -> delivery.jobs().delayed(n, runAt));
        double created = stored(session) - before;
        if (session.database().isPresent() && created != result.count() * Batches.SIZE) {
            session.report().problem(name, created + " jobs are there instead of " + result.count() * Batches.SIZE);
        }
        return result.perSecond() * Batches.SIZE;
    }

    private static double stored(Session session) throws SQLException {
        return session.database().isPresent() ? session.database().get().number("SELECT count(*) FROM jobs") : 0;
    }
}
