import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;

/** What a claimed execution costs the database when few wait and when very many do, as the program itself claims. */
final class BacklogScenario implements Scenario {
    private static final int FEW = 10_000;

    /** So many are delivered each time, so that the program, which has just started, claims in the same way. */
    private static final int MEASURED = FEW;

    private static final Duration LIMIT = Duration.ofMinutes(2);

    static final String COST_OF_FEW = "claim of one of " + FEW;
    static final String COST_OF_MANY = "claim of one of many";

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        if (session.options().url().isPresent()) {
            System.err.println("backlog is left out: the program was not started here.");
            return;
        }
        int many = session.options().backlog();
        Drain.warmUp(session, "backlog-warm-up", 2 * FEW);
        session.report().add("backlog", COST_OF_FEW, cost(session, "backlog-few", FEW, 0), "us");
        session.report().add("backlog", COST_OF_MANY, cost(session, "backlog-many", many, many), "us");
    }

    /** Has the program deliver some of what is queued, and gives what the claims took meanwhile in microseconds. */
    private static double cost(Session session, String name, int queued, int future)
            throws IOException, InterruptedException, SQLException {
        Database database = session.database().orElseThrow();
        Delivery delivery = session.deliverTo(name, queued);
        String job = HistoryScenario.example(delivery, database);
        session.stopPrograms();
        database.execute("TRUNCATE exec_live");
        StoredJobs.addLive(database, job, 0, queued, "now()");
        StoredJobs.addLive(database, job, queued, future, "now() + interval '1 day' + n * interval '1 second'");
        database.execute("VACUUM ANALYZE exec_live");
        database.execute("VACUUM ANALYZE jobs");
        session.server().maintenance().execute("CHECKPOINT");
        ClaimCost.reset(session);
        session.service();
        delivery.arrivals().awaitSome(MEASURED, LIMIT);
        double cost = ClaimCost.micros(session);
        session.stopPrograms();
        delivery.arrivals().expectNoMore();
        database.execute("TRUNCATE exec_live");
        return cost;
    }
}
