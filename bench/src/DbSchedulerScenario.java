import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;

/** What db-scheduler does with the same jobs on the same server: creating one by one, and draining. */
final class DbSchedulerScenario implements Scenario {
    private static final String NAME = "db-scheduler";
    private static final int BATCH = 1_000;
    private static final Duration RUN_AFTER = Duration.ofHours(1);
    private static final int CREATED_PER_SECOND_LEAST = 3_000;
    private static final Duration LIMIT = Duration.ofMinutes(5);

    static final String DELIVERED = DrainScenario.DELIVERED;

    /** The name of the figure; as many threads as there are connections that create jobs, for the comparison. */
    static String inserted(Options options) {
        return "jobs scheduled, " + options.connections() + " threads";
    }

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException, ExecutionException {
        if (session.leavesOut(NAME)) {
            return;
        }
        Database database = session.server().create("dbscheduler");
        DbScheduler.createTable(database);
        var request = new AtomicReference<DbScheduler.RequestOfJob>();
        try (var dbScheduler = DbScheduler.start(database, session.receiver().address(), request::get)) {
            int inserted = session.options().jobs();
            int threads = session.options().connections();
            insert(dbScheduler, "insert-warm-up", CreateScenario.warmUpJobs(inserted), threads);
            double perSecond = insert(dbScheduler, "insert", inserted, threads);
            session.report().add(NAME, inserted(session.options()), perSecond, "1/s");
            database.execute("TRUNCATE scheduled_tasks");
            int jobs = session.options().drainJobs();
            drain(session, dbScheduler, database, request, "db-scheduler-warm-up", Drain.warmUpJobs(jobs));
            drain(session, dbScheduler, database, request, NAME, jobs);
        }
    }

    /** Schedules one by one from several threads, as an application would, and returns the rate. */
    private static double insert(DbScheduler dbScheduler, String name, int count, int threadCount)
            throws InterruptedException, ExecutionException {
        Instant runAt = Instant.now().plus(RUN_AFTER);
        long beginNanos = System.nanoTime();
        try (ExecutorService threads = Executors.newFixedThreadPool(threadCount)) {
            List<Future<?>> running = new ArrayList<>();
            for (int thread = 0; thread < threadCount; thread++) {
                int first = thread;
                running.add(threads.submit(() -> {
                    for (int n = first; n < count; n += threadCount) {
                        dbScheduler.client().scheduleIfNotExists(dbScheduler.job(name, n), runAt);
                    }
                }));
            }
            for (Future<?> each : running) {
                each.get();
            }
        }
        return count * 1e9 / (System.nanoTime() - beginNanos);
    }

    private static void drain(
            Session session,
            DbScheduler dbScheduler,
            Database database,
            AtomicReference<DbScheduler.RequestOfJob> request,
            String name,
            int count)
            throws IOException, InterruptedException, SQLException {
        Arrivals arrivals = session.receiver().expect(name, count);
        RequestBytes bytes = RequestBytes.post(session.receiver().host(), arrivals.path(), "");
        request.set(n -> bytes.with("{\"n\":" + n + "}"));
        session.server().settle(database);
        Duration lead = Duration.ofSeconds(3 + count / CREATED_PER_SECOND_LEAST);
        Instant runAt = Instant.now().plus(lead);
        for (int from = 0; from < count; from += BATCH) {
            dbScheduler.schedule(name, from, Math.min(count, from + BATCH), runAt);
        }
        // Its plan is of the empty table until then, and reads and sorts all rows for each batch.
        database.execute("ANALYZE scheduled_tasks");
        if (Instant.now().isAfter(runAt)) {
            session.report().problem(name, "the first jobs were due before the last were created");
        }
        Activity before = Activity.of(session.server(), database);
        session.awaitArrivals(arrivals, lead.plus(LIMIT));
        database.awaitNone("SELECT count(*) FROM scheduled_tasks", (int) LIMIT.toSeconds());
        if (name.equals(NAME)) {
            session.report().addAgainstRaw(NAME, DELIVERED, arrivals.perSecond(), "1/s", RawScenario.DRAIN_RATE);
            Activity.of(session.server(), database).since(before).report(session.report(), NAME, "to deliver", count);
        }
    }
}
