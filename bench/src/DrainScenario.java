import java.io.IOException;
import java.sql.SQLException;

/** How fast a queue that is full at one moment is delivered, each job exactly once. */
final class DrainScenario implements Scenario {
    private static final int CHECKED_EXECUTIONS = 20;

    static final String DELIVERED = "jobs delivered";

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        int jobs = session.options().drainJobs();
        double created = Drain.warmUp(session, "drain-warm-up", Drain.warmUpJobs(jobs));
        Drain drain = Drain.run(session, "drain", jobs, created);
        Report report = session.report();
        report.add("drain", "jobs created in batches of 1000", drain.created(), "1/s");
        report.addAgainstRaw("drain", DELIVERED, drain.delivered(), "1/s", RawScenario.DRAIN_RATE);
        drain.creation().ifPresent(activity -> activity.report(report, "drain", "to create", jobs));
        drain.delivery().ifPresent(activity -> activity.report(report, "drain", "to deliver", jobs));
        checkRecorded(session, drain);
    }

    /** What arrived must also be recorded: looks at some executions from the whole range. */
    private static void checkRecorded(Session session, Drain drain)
            throws IOException, InterruptedException, SQLException {
        var api = new ApiClient(session.service());
        int step = Math.max(1, drain.executions().size() / CHECKED_EXECUTIONS);
        for (int i = 0; i < drain.executions().size(); i += step) {
            String status = api.executionStatus(drain.executions().get(i));
            if (!status.equals("SUCCESS")) {
                session.report().problem("drain", drain.executions().get(i) + " arrived, but its status is " + status);
            }
        }
    }
}
