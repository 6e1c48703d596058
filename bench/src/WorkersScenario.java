import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** How much more several worker processes deliver than one, to a receiver that takes its time, and their connections. */
final class WorkersScenario implements Scenario {
    private static final Duration ANSWER_AFTER = Duration.ofMillis(20);

    /** Some ten seconds at what 50 slots can do with such a receiver. */
    private static final int JOBS_PER_WORKER = 25_000;

    static final String ONE = "jobs delivered by 1";

    static String all(Options options) {
        return "jobs delivered by " + options.workers();
    }

    static String connections(Options options) {
        return "connections to the database of " + options.workers();
    }

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        if (session.options().url().isPresent()) {
            System.err.println("workers is left out: the program was not started here.");
            return;
        }
        session.report().add("workers", ONE, drain(session, 1), "1/s");
        session.report()
                .add(
                        "workers",
                        all(session.options()),
                        drain(session, session.options().workers()),
                        "1/s");
        // The first process has the other roles.
        List<ProcessHandle> workers =
                session.programs().stream().skip(1).map(Program::process).toList();
        session.report()
                .add(
                        "workers",
                        connections(session.options()),
                        DatabaseConnections.of(
                                workers, session.database().orElseThrow().port()),
                        "");
    }

    private static double drain(Session session, int workers) throws IOException, InterruptedException, SQLException {
        session.run(Roles.apiAndWorkers(workers));
        int jobs = Math.min(workers * JOBS_PER_WORKER, session.options().drainJobs());
        String name = "workers-" + workers;
        // As many programs as there are workers compile what is hot, on the processors that do the work.
        double created = Drain.warmUp(session, name + "-warm-up", Drain.warmUpJobs(jobs));
        ClaimCost.reset(session);
        Drain drain = Drain.run(session, session.deliverSlowlyTo(name, jobs, ANSWER_AFTER), created);
        Report report = session.report();
        report.add(name, "database time of each claimed execution", ClaimCost.micros(session), "us");
        drain.delivery().ifPresent(activity -> activity.report(report, name, "to deliver", jobs));
        return drain.delivered();
    }
}
