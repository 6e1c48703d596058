import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/**
 * Jobs that were all queued when the first came due, delivered and recorded.
 *
 * @param created jobs per second that were created in batches
 * @param delivered arrivals per second between the first and the last
 * @param executions their ids
 * @param creation what the database did to create them, if it was started here
 * @param delivery what it did to deliver and record them
 */
record Drain(
        double created,
        double delivered,
        List<String> executions,
        Optional<Activity> creation,
        Optional<Activity> delivery) {
    private static final Duration LEAD = Duration.ofSeconds(3);
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final int RECORD_SECONDS_MAX = 30;

    /** Of the rate that jobs were created at before, what is counted on now. */
    private static final double CAUTION = 0.6;

    /** Jobs that other scenarios have made for later do not count. */
    private static final String NOT_RECORDED =
            "SELECT count(*) FROM exec_live WHERE visible_at < now() + interval '10 minutes'";

    private static final int FIRST = 5_000;

    private static final int MORE = 5;

    /** Slower than any batch should be created the first time. */
    private static final double CREATED_PER_SECOND_LEAST = 2_000;

    /** What goes before all sides' measured jobs: a compiler takes some ten seconds, on one of the processors, to be done. */
    static int warmUpJobs(int jobs) {
        return 4 * jobs;
    }

    /**
     * Gives the program's compiler something to do before anything is measured, and says how fast jobs are created. Few and
     * then more say how soon the many can be due, which takes long to wait for while that is only guessed.
     */
    static double warmUp(Session session, String name, int jobs)
            throws IOException, InterruptedException, SQLException {
        double created = CREATED_PER_SECOND_LEAST;
        for (int few = FIRST; few < jobs; few *= MORE) {
            created = run(session, name + "-" + few, few, created).created();
        }
        return run(session, name, jobs, created).created();
    }

    static Drain run(Session session, String name, int jobs, double createdBefore)
            throws IOException, InterruptedException, SQLException {
        return run(session, session.deliverTo(name, jobs), createdBefore);
    }

    static Drain run(Session session, Delivery delivery, double createdBefore)
            throws IOException, InterruptedException, SQLException {
        return run(session, delivery, createdBefore, Duration.ZERO);
    }

    /**
     * The same with times that differ.
     *
     * @param between the time from one job to the next
     */
    static Drain run(Session session, Delivery delivery, double createdBefore, Duration between)
            throws IOException, InterruptedException, SQLException {
        Arrivals arrivals = delivery.arrivals();
        Duration lead = LEAD.plusMillis((long) (1000 * arrivals.count() / (CAUTION * createdBefore)));
        if (session.database().isPresent()) {
            session.server().settle(session.database().get());
        }
        Optional<Activity> before = activity(session);
        Instant runAt = Instant.now().plus(lead).truncatedTo(ChronoUnit.MILLIS);
        long beginNanos = System.nanoTime();
        List<String> executions = delivery.api()
                .createJobs(arrivals.count(), n -> delivery.jobs().delayed(n, runAt.plus(between.multipliedBy(n))));
        double perSecond = arrivals.count() * 1e9 / (System.nanoTime() - beginNanos);
        Optional<Activity> created = activity(session);
        if (Instant.now().isAfter(runAt)) {
            session.report()
                    .problem(
                            arrivals.scenario(),
                            "the first jobs were due before the last were created; the rate is too low");
        }
        session.awaitArrivals(arrivals, lead.plus(LIMIT));
        if (session.database().isPresent()) {
            session.database().get().awaitNone(NOT_RECORDED, RECORD_SECONDS_MAX);
        }
        Optional<Activity> after = activity(session);
        return new Drain(
                perSecond,
                arrivals.perSecond(),
                executions,
                created.map(end -> end.since(before.orElseThrow())),
                after.map(end -> end.since(created.orElseThrow())));
    }

    private static Optional<Activity> activity(Session session) throws SQLException, IOException, InterruptedException {
        return session.database().isPresent()
                ? Optional.of(Activity.of(session.server(), session.database().get(), session.programs()))
                : Optional.empty();
    }
}
