import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/** How long the least urgent jobs of a queue that ages wait while the most urgent ones saturate the workers. */
final class FlowAgingScenario implements Scenario {
    private static final String NAME = "flow-aging";
    private static final String QUEUE = "aging";
    private static final int LEAST_URGENT = 7;

    /** What fifty slots need forty seconds for: longer than the last probe may wait. */
    private static final int URGENT_JOBS = 40_000;

    private static final Duration HOLD = Duration.ofMillis(50);
    private static final int PROBES = 10;
    private static final Duration BETWEEN_PROBES = Duration.ofSeconds(2);
    private static final Duration LIMIT = Duration.ofMinutes(3);

    private static final String LONGEST = "wait of a job with priority 7, max";

    @Override
    public List<Wanted> wanted() {
        return List.of(Wanted.most("aging of 1 s: priority 7 beside endless priority 0", NAME, LONGEST, 9_000));
    }

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        if (session.leavesOut(NAME)) {
            return;
        }
        session.runApart(Roles.apiAndWorkers(1), Map.of());
        WarmUp.run(session, NAME);
        new ApiClient(session.service()).createQueue("{\"name\":\"" + QUEUE + "\",\"aging\":\"PT1S\"}");
        int jobs = session.options().flowPart(URGENT_JOBS);
        Delivery urgent = way(session, NAME + "-urgent", jobs).priority(0);
        Delivery probes = way(session, NAME, PROBES).priority(LEAST_URGENT);
        urgent.createAll();
        long[] created = probe(probes);
        probes.arrivals().awaitAll(LIMIT);
        int waiting = urgent.arrivals().missing();
        Outcomes.await(session, probes, LIMIT);
        Outcomes.await(session, urgent, LIMIT);
        Percentiles waits = probes.arrivals().after(created, 0);
        Report report = session.report();
        report.add(NAME, "wait of a job with priority 7, p50", waits.millis(50), "ms");
        report.add(NAME, LONGEST, waits.maxMillis(), "ms");
        report.add(NAME, "urgent jobs that waited longer", waiting, "jobs");
    }

    private static Delivery way(Session session, String name, int jobs)
            throws IOException, InterruptedException, SQLException {
        Arrivals arrivals = session.receiver().expect(name, jobs, Numbering.BODY, Reception.holding(HOLD));
        return session.deliver(arrivals, EndpointJson.USUAL.queue(QUEUE));
    }

    /** Creates the probes one after the other, and says when. */
    private static long[] probe(Delivery probes) throws IOException, InterruptedException {
        var created = LongStream.builder();
        for (int i = 0; i < PROBES; i++) {
            int number = i;
            Thread.sleep(BETWEEN_PROBES);
            created.add(System.nanoTime());
            var _ = probes.api().createJobs(1, _ -> probes.jobs().immediate(number));
        }
        return created.build().toArray();
    }
}
