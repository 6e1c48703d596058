import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;

/** How much more several worker processes deliver than one, to a receiver that takes its time. */
final class WorkersScenario implements Scenario {
    private static final int MANY = 4;
    private static final Duration ANSWER_AFTER = Duration.ofMillis(20);

    /** Some ten seconds at what 50 slots can do with such a receiver. */
    private static final int JOBS_PER_WORKER = 25_000;

    static final String ONE = "jobs delivered by 1";
    static final String ALL = "jobs delivered by " + MANY;

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        if (session.options().url().isPresent()) {
            System.err.println("workers is left out: the program was not started here.");
            return;
        }
        session.report().add("workers", ONE, drain(session, 1), "1/s");
        session.report().add("workers", ALL, drain(session, MANY), "1/s");
    }

    private static double drain(Session session, int workers) throws IOException, InterruptedException, SQLException {
        session.run(Roles.apiAndWorkers(workers));
        int jobs = Math.min(workers * JOBS_PER_WORKER, session.options().drainJobs());
        String name = "workers-" + workers;
        // As many programs as there are workers compile what is hot, on the processors that do the work.
        double created = Drain.warmUp(session, name + "-warm-up", Drain.warmUpJobs(jobs));
        return Drain.run(session, session.deliverSlowlyTo(name, jobs, ANSWER_AFTER), created)
                .delivered();
    }
}
