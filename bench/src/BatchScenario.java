import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** How many jobs per second the API accepts in batches, with the worker out of the way. */
final class BatchScenario implements Scenario {
    private static final int BATCH = 500;
    private static final int CONNECTIONS = 4;
    private static final int JOBS = 200_000;
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final Duration RUN_AFTER = Duration.ofHours(1);

    static final String CREATED = "jobs in batches of " + BATCH + ", " + CONNECTIONS + " connections";

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        int jobs = Math.min(JOBS, 5 * session.options().jobs());
        create(session, "batch-warm-up", jobs / 5);
        session.report().add("batch", CREATED, create(session, "batch", jobs), "1/s");
    }

    private static double create(Session session, String name, int jobs)
            throws IOException, InterruptedException, SQLException {
        Delivery delivery = session.deliverTo(name, 0);
        Instant runAt = Instant.now().plus(RUN_AFTER).truncatedTo(ChronoUnit.MILLIS);
        RequestBytes request = RequestBytes.post(delivery.service(), "/jobs/batch");
        var load = Load.closedLoop(jobs / BATCH, n -> request.with(batch(delivery, n, runAt)));
        double before = stored(session);
        LoadResult result = LoadLoop.run(delivery.service().address(), CONNECTIONS, load, LIMIT)
                .expecting(200);
        double created = stored(session) - before;
        if (session.database().isPresent() && created != result.count() * BATCH) {
            session.report().problem(name, created + " jobs are there instead of " + result.count() * BATCH);
        }
        return result.perSecond() * BATCH;
    }

    private static String batch(Delivery delivery, int n, Instant runAt) {
        return IntStream.range(n * BATCH, (n + 1) * BATCH)
                .mapToObj(job -> delivery.jobs().delayed(job, runAt))
                .collect(Collectors.joining(",", "{\"jobs\":[", "]}"));
    }

    private static double stored(Session session) throws SQLException {
        return session.database().isPresent() ? session.database().get().number("SELECT count(*) FROM jobs") : 0;
    }
}
