import java.io.IOException;
import java.sql.SQLException;

/** The same as latency with the API in one process and the worker in another, which only the database connects. */
final class RolesScenario implements Scenario {
    private static final int WARM_UP = 20_000;

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        if (session.options().url().isPresent()) {
            System.err.println("roles is left out: the program was not started here.");
            return;
        }
        session.run(Roles.apiAndWorkers(1));
        Drain.warmUp(session, "roles-warm-up", WARM_UP);
        LatencyScenario.measure(session, "roles");
    }
}
