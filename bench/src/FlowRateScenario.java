import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Whether the rate limit of an endpoint holds over several worker processes, and is used up. */
final class FlowRateScenario implements Scenario {
    private static final String NAME = "flow-rate";
    private static final int RATE = 100;
    private static final int BURST = 20;
    private static final int WORKERS = 4;

    /** Forty seconds of work. */
    private static final int JOBS = 40 * RATE;

    private static final Duration WINDOW = Duration.ofSeconds(1);
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private static final String STARTS = """
            SELECT (extract(epoch FROM started_at) * 1000000)::bigint * 1000
            FROM executions JOIN jobs USING (job_id) WHERE endpoint = '%s'
            """;

    private static final String STARTED = "started in any second, most";
    private static final String ARRIVED = "arrived in any second, most";
    private static final String MEAN = "jobs started, without the burst";

    @Override
    public List<Wanted> wanted() {
        String what = "rate of 100, burst of 20: ";
        return List.of(
                Wanted.most(what + "starts in any second", NAME, STARTED, 120),
                Wanted.most(what + "arrivals in any second", NAME, ARRIVED, 132),
                Wanted.least(what + "mean rate", NAME, MEAN).bound(98));
    }

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        if (session.leavesOut(NAME)) {
            return;
        }
        session.runApart(Roles.apiAndWorkers(WORKERS), Map.of());
        WarmUp.run(session, NAME);
        String flow = "{\"rate\":{\"limit\":%d,\"per\":\"PT1S\",\"burst\":%d}}".formatted(RATE, BURST);
        int jobs = session.options().flowPart(JOBS);
        Delivery delivery = session.deliver(session.receiver().expect(NAME, jobs), EndpointJson.USUAL.flow(flow));
        delivery.createAll();
        Outcomes.await(session, delivery, LIMIT);
        Database database = session.database().orElseThrow();
        Moments starts =
                Moments.of(database.numbers(STARTS.formatted(delivery.jobs().endpoint())));
        Report report = session.report();
        report.add(NAME, STARTED, starts.mostWithin(WINDOW), "jobs");
        report.add(NAME, ARRIVED, delivery.arrivals().moments().mostWithin(WINDOW), "jobs");
        report.add(NAME, MEAN, starts.perSecondWithout(BURST), "1/s");
    }
}
