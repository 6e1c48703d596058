import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** How soon a job begins after the end of the last one that it waits for, by the database's clock. */
final class FanInScenario implements Scenario {
    private static final String NAME = "fan-in";
    private static final int RUNS = 200;
    private static final int PARENTS = 50;
    private static final Duration BETWEEN = Duration.ofMillis(50);
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private static final String DELAY = """
            SELECT (1000000 * percentile_disc(%s) WITHIN GROUP (ORDER BY extract(epoch FROM c.started_at - p.ended)))::bigint
            FROM (
              SELECT e.child_id, max(x.completed_at) AS ended
              FROM job_edges e JOIN executions x ON x.execution_id = e.parent_id
              GROUP BY e.child_id) AS p
            JOIN executions c ON c.execution_id = p.child_id
            """;

    private static final String P50 = "last parent's end to start, p50";
    private static final String P99 = "last parent's end to start, p99";

    @Override
    public List<Wanted> wanted() {
        return List.of(Wanted.most("fan-in of " + PARENTS + ": last parent's end to start, p99", NAME, P99, 10));
    }

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        if (session.leavesOut(NAME)) {
            return;
        }
        session.runApart(Roles.ALL_IN_ONE, Map.of());
        WarmUp.run(session, NAME);
        runs(session, NAME + "-warm-up");
        try (var database = ProgramDatabase.open(session)) {
            database.execute("DELETE FROM job_edges");
        }
        runs(session, NAME);
        try (var database = ProgramDatabase.open(session)) {
            session.report().add(NAME, P50, database.number(DELAY.formatted("0.5")) / 1e3, "ms");
            session.report().add(NAME, P99, database.number(DELAY.formatted("0.99")) / 1e3, "ms");
        }
    }

    private static void runs(Session session, String name) throws IOException, InterruptedException, SQLException {
        int size = PARENTS + 1;
        Delivery delivery = session.deliverTo(name, RUNS * size).fanIn(PARENTS);
        for (int run = 0; run < RUNS; run++) {
            int first = run * size;
            delivery.api().createJobs(size, n -> delivery.jobs().immediate(first + n));
            delivery.arrivals().awaitSome(first + size, LIMIT);
            Thread.sleep(BETWEEN);
        }
        Outcomes.await(session, delivery, LIMIT);
    }
}
