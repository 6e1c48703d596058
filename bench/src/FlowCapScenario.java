import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Whether the cap of a flow key holds over several worker processes while one after the other is killed. */
final class FlowCapScenario implements Scenario {
    private static final String NAME = "flow-cap";
    private static final int CAP = 7;
    private static final int WORKERS = 4;
    private static final int JOBS = 20_000;
    private static final Duration HOLD = Duration.ofMillis(20);
    private static final Duration KILL_EVERY = Duration.ofSeconds(10);
    private static final Duration LIMIT = Duration.ofMinutes(10);

    /** So that the places of a killed worker are free again soon. */
    private static final Map<String, String> SHORT_LEASES = Map.of("TE_WORKER_LEASE_SEC", "5");

    private static final String MOST = "calls in the open, most";

    @Override
    public List<Wanted> wanted() {
        return List.of(Wanted.most("cap of 7, workers killed: calls at once", NAME, MOST, CAP));
    }

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        if (session.leavesOut(NAME)) {
            return;
        }
        session.runApart(Roles.apiAndWorkers(WORKERS), SHORT_LEASES);
        WarmUp.run(session, NAME);
        var calls = new OpenCalls(HOLD);
        int jobs = session.options().flowPart(JOBS);
        Delivery delivery = session.deliver(
                        session.receiver().expect(NAME, jobs, Numbering.BODY, calls),
                        EndpointJson.USUAL.flow("{\"key\":\"{{input.key}}\",\"max_concurrency\":" + CAP + "}"))
                .keys(n -> 1);
        delivery.createAll();
        int kills = killByTurns(session, delivery.arrivals());
        delivery.arrivals().mayComeAgain(kills * CAP);
        Outcomes.await(session, delivery, LIMIT);
        Moments moments = delivery.arrivals().moments();
        Report report = session.report();
        report.add(NAME, "workers killed", kills, "");
        report.add(NAME, MOST, calls.most(), "calls");
        report.add(NAME, "calls in the open, mean", calls.mean(), "calls");
        report.add(NAME, "jobs delivered", moments.perSecondWithout(0), "1/s");
        report.add(NAME, "longest time without an arrival", moments.longestGapMillis(), "ms");
    }

    /** Kills one worker after the other until every job has come, and says how many it were. */
    private static int killByTurns(Session session, Arrivals arrivals) throws IOException, InterruptedException {
        Instant begin = Instant.now();
        int kills = 0;
        while (!arrivals.awaitAll(Duration.between(Instant.now(), begin.plus(KILL_EVERY.multipliedBy(kills + 1))))
                && Instant.now().isBefore(begin.plus(LIMIT))) {
            // Process 0 is the API.
            session.killAndReplace(1 + kills % WORKERS);
            kills++;
        }
        return kills;
    }
}
