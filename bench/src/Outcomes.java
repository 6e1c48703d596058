import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;

/** Whether what was to arrive has also been recorded as delivered. */
final class Outcomes {
    private static final int RECORD_SECONDS_MAX = 60;

    private static final String NOT_ENDED = """
            SELECT count(*) FROM exec_live JOIN jobs USING (job_id) WHERE endpoint = '%s'
            """;

    private static final String DELIVERED = """
            SELECT count(*) FROM executions JOIN jobs USING (job_id) WHERE endpoint = '%s' AND status = 'SUCCESS'
            """;

    private Outcomes() {}

    /** Waits until every job has come and its execution has ended; what was not delivered well is a problem. */
    static void await(Session session, Delivery delivery, Duration limit)
            throws IOException, InterruptedException, SQLException {
        Arrivals arrivals = delivery.arrivals();
        session.awaitArrivals(arrivals, limit);
        Database database = session.database().orElseThrow();
        database.awaitNone(NOT_ENDED.formatted(delivery.jobs().endpoint()), RECORD_SECONDS_MAX);
        int others = arrivals.count() - delivered(database, delivery);
        if (others != 0) {
            session.report().problem(arrivals.scenario(), others + " jobs were not recorded as delivered");
        }
    }

    /** Stops the program before all jobs have come: each must wait, or have been recorded as delivered. */
    static void giveUpRest(Session session, Delivery delivery) throws SQLException {
        session.stopPrograms();
        Arrivals arrivals = delivery.arrivals();
        Database database = session.database().orElseThrow();
        int waiting = (int) database.number(NOT_ENDED.formatted(delivery.jobs().endpoint()));
        int others = arrivals.count() - waiting - delivered(database, delivery);
        if (others != 0) {
            session.report().problem(arrivals.scenario(), others + " jobs neither wait nor were delivered");
        }
        arrivals.expectNoMore();
    }

    private static int delivered(Database database, Delivery delivery) throws SQLException {
        return (int) database.number(DELIVERED.formatted(delivery.jobs().endpoint()));
    }
}
