import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/** What a thousand queues cost: the same drain with one queue and with all, and what the program does at rest then. */
final class FlowQueuesScenario implements Scenario {
    private static final String NAME = "flow-queues";
    private static final int QUEUES = 1_000;

    private static final String ONE = "jobs delivered with one queue";
    private static final String MANY = "jobs delivered with 1,000 queues";
    private static final String STATEMENTS = "statements at rest with 1,000 queues";
    private static final String CORE = "part of a core at rest with 1,000 queues";

    @Override
    public List<Wanted> wanted() {
        return List.of(
                Wanted.least("1,000 queues: drain, against one queue", NAME, MANY)
                        .against(NAME, ONE, 0.9),
                Wanted.most("1,000 queues: statements at rest", NAME, STATEMENTS, 5),
                Wanted.most("1,000 queues: part of a core at rest", NAME, CORE, 1));
    }

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        if (session.leavesOut(NAME)) {
            return;
        }
        session.runApart(Roles.ALL_IN_ONE, Map.of());
        int jobs = session.options().flowPart(session.options().drainJobs() / 2);
        double created = Drain.warmUp(session, NAME + "-warm-up", Drain.warmUpJobs(jobs));
        Drain one = Drain.run(session, NAME + "-one", jobs, created);
        ApiClient api = new ApiClient(session.service());
        for (int queue = 1; queue < QUEUES; queue++) {
            api.createQueue("{\"name\":\"queue-" + queue + "\"}");
        }
        Drain.run(session, NAME + "-many-warm-up", jobs, created);
        Drain many = Drain.run(session, NAME + "-many", jobs, created);
        session.report().add(NAME, ONE, one.delivered(), "1/s");
        session.report().add(NAME, MANY, many.delivered(), "1/s");
        IdleScenario.watch(session, NAME, CORE, STATEMENTS);
    }
}
