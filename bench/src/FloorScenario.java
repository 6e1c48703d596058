import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.ExecutionException;

/** The drain by a bare loop of three batched statements and the HTTP call: what is left to gain. */
final class FloorScenario implements Scenario {
    private static final String NAME = "floor";
    private static final int BATCH = 1_000;

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException, ExecutionException {
        if (session.leavesOut(NAME)) {
            return;
        }
        Database database = session.server().create(NAME);
        Program.migrate(session.options(), database, session.workspace().directory("migrate.log"));
        int jobs = session.options().drainJobs();
        drain(session, database, "floor-warm-up", Drain.warmUpJobs(jobs));
        drain(session, database, NAME, jobs);
    }

    private static void drain(Session session, Database database, String name, int count)
            throws IOException, InterruptedException, SQLException, ExecutionException {
        session.server().settle(database);
        double created = create(database, count);
        Arrivals arrivals = session.receiver().expect(name, count);
        // Open until everything is counted: the processor time of a connection's process ends with it.
        try (Connection claims = database.connect();
                Connection records = database.connect()) {
            Activity before = Activity.of(session.server(), database);
            RequestBytes request = RequestBytes.post(session.receiver().host(), arrivals.path(), "");
            FloorLoop.run(claims, records, session.receiver().address(), request, count);
            if (name.equals(NAME)) {
                Report report = session.report();
                report.add(NAME, "jobs created in batches of " + BATCH, created, "1/s");
                report.addAgainstRaw(
                        NAME, DrainScenario.DELIVERED, arrivals.perSecond(), "1/s", RawScenario.DRAIN_RATE);
                Activity.of(session.server(), database).since(before).report(report, NAME, "to deliver", count);
            }
        }
    }

    /** Queues so many jobs, and returns how many a second. */
    static double create(Database database, int count) throws SQLException {
        long beginNanos = System.nanoTime();
        try (Connection connection = database.connect();
                PreparedStatement create = connection.prepareStatement(FloorSql.CREATE)) {
            for (int from = 0; from < count; from += BATCH) {
                create.setInt(1, from + 1);
                create.setInt(2, Math.min(count, from + BATCH));
                create.executeUpdate();
            }
        }
        return count * 1e9 / (System.nanoTime() - beginNanos);
    }
}
