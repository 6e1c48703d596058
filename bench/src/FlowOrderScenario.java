import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Whether the jobs of each key come and end in the order of their creation, with retries and a killed worker. */
final class FlowOrderScenario implements Scenario {
    private static final String NAME = "flow-order";
    private static final int KEYS = 200;
    private static final int JOBS_PER_KEY = 100;
    private static final int WORKERS = 2;
    private static final int FAILING_ONE_IN = 10;
    private static final int RETRY_MILLIS = 100;
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final Map<String, String> SHORT_LEASES = Map.of("TE_WORKER_LEASE_SEC", "5");

    // The attempt that ended well began after the end of the job before, and ended after it.
    private static final String OUT_OF_ORDER = """
            SELECT count(*) FROM (
              SELECT least(x.started_at, x.completed_at)
                < lag(x.completed_at) OVER (PARTITION BY j.input ->> 'key' ORDER BY (j.input ->> 'n')::int) AS is_early
              FROM executions AS x JOIN jobs AS j USING (job_id) WHERE j.endpoint = '%s'
            ) AS pair WHERE is_early
            """;

    private static final String ARRIVED = "first arrivals before the one before";
    private static final String COMPLETED = "completions before the one before";

    @Override
    public List<Wanted> wanted() {
        return List.of(
                Wanted.most("fifo: first arrivals before the one before", NAME, ARRIVED, 0),
                Wanted.most("fifo: completions before the one before", NAME, COMPLETED, 0));
    }

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        if (session.leavesOut(NAME)) {
            return;
        }
        session.runApart(Roles.apiAndWorkers(WORKERS), SHORT_LEASES);
        int jobs = KEYS * session.options().flowPart(JOBS_PER_KEY);
        var failing = new FailingOnce(FlowOrderScenario::fails);
        Delivery delivery = session.deliver(
                        session.receiver().expect(NAME, jobs, Numbering.BODY, failing),
                        EndpointJson.USUAL
                                .attempts(5, RETRY_MILLIS)
                                .flow("{\"key\":\"{{input.key}}\",\"order\":\"fifo\"}"))
                .keys(n -> n % KEYS);
        Arrivals arrivals = delivery.arrivals();
        // Of each key the killed worker may have begun one, or not yet recorded its end.
        arrivals.mayComeAgain(jobs / FAILING_ONE_IN + KEYS);
        delivery.createAll();
        arrivals.awaitSome(jobs / 3, LIMIT);
        session.killAndReplace(1);
        Outcomes.await(session, delivery, LIMIT);
        Report report = session.report();
        report.add(NAME, ARRIVED, arrivals.outOfOrder(KEYS), "jobs");
        report.add(
                NAME,
                COMPLETED,
                session.database()
                        .orElseThrow()
                        .number(OUT_OF_ORDER.formatted(delivery.jobs().endpoint())),
                "jobs");
        report.add(NAME, "jobs delivered", arrivals.moments().perSecondWithout(0), "1/s");
    }

    /** One job in ten of each key, and not all keys at once. */
    private static boolean fails(int n) {
        return (n + n / KEYS) % FAILING_ONE_IN == 0;
    }
}
